import { readFileSync } from 'node:fs'
import { commands } from './commands/index.ts'
import { parse } from './shell/arguments.ts'
import { failureOf, UsageError } from './shell/errors.ts'
import { exitCodes } from './shell/exit-codes.ts'
import { help, overview } from './shell/help.ts'
import { processTerminal, red } from './shell/terminal.ts'

const terminal = processTerminal()

async function main(words: readonly string[]): Promise<number> {
  const parsed = parse(commands, words)
  if (parsed.kind === 'version') {
    terminal.result(version())
    return exitCodes.ok.code
  }
  if (parsed.kind === 'overview') {
    terminal.result(overview(commands))
    return exitCodes.ok.code
  }
  if (parsed.kind === 'help') {
    terminal.result(help(parsed.command))
    return exitCodes.ok.code
  }
  const { command, json, ...invocation } = parsed
  const { ok, text, data } = await command.run({ ...invocation, terminal, signal: interruptSignal() })
  terminal.result(json ? JSON.stringify(data, null, 2) : text)
  return ok ? exitCodes.ok.code : exitCodes.problem.code
}

function version(): string {
  const file = new URL('../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

const cleanUpMs = 2_000

/**
 * Aborted at the first interrupt, so that the command can clean up. A second one is ignored: npm forwards Ctrl-C to a
 * child that has already received it from the terminal.
 */
function interruptSignal(): AbortSignal {
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
// Kept-alive connections to the platform and to AWS would delay the exit by seconds.
process.exit()
