import { commands } from './commands/index.ts'
import { parse } from './shell/arguments.ts'
import { failureOf, UsageError } from './shell/errors.ts'
import { exitCodes } from './shell/exit-codes.ts'
import { help, overview } from './shell/help.ts'
import { processTerminal, red } from './shell/terminal.ts'

const terminal = processTerminal()

async function main(words: readonly string[]): Promise<number> {
  const parsed = parse(commands, words)
  if (parsed.kind === 'help') {
    terminal.result(parsed.command ? help(parsed.command) : overview(commands))
    return exitCodes.ok.code
  }
  const { command, json, ...call } = parsed
  const { ok, text, data } = await command.run({ ...call, terminal, signal: interruption() })
  terminal.result(json ? JSON.stringify(data, null, 2) : text)
  return ok ? exitCodes.ok.code : exitCodes.problem.code
}

const cleanUpMs = 2_000

/**
 * Ctrl-C lets the command clean up, which none of them needs long for. It may come twice: npm passes it on to a child
 * that has heard it already.
 */
function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) return
      controller.abort()
      setTimeout(() => process.exit(exitCodes.interrupted.code), cleanUpMs).unref()
    })
  }
  return controller.signal
}

const words = process.argv.slice(2)
try {
  process.exitCode = await main(words)
} catch (error) {
  const { exitCode, message, fix } = failureOf(error)
  terminal.note(`${red('✗')} ${message}`)
  if (fix) terminal.note(`  → ${fix}`)
  if (error instanceof UsageError) terminal.note('  → npx longshore --help')
  if (words.includes('--json')) terminal.result(JSON.stringify({ error: message, fix }, null, 2))
  process.exitCode = exitCode
}
// Kept-alive connections to the platform and to AWS would hold the process for seconds.
process.exit()
