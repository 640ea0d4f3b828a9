import { styleText } from 'node:util'
import { longshoreCommandLine } from '../functions/runtime/command-line.ts'
import { failureOf, Interrupted, UsageError } from '../operator/errors.ts'
import type { Waiting } from '../operator/waiting.ts'
import { commands } from './commands/index.ts'
import { exitCodes } from './shell/exit-codes.ts'
import { parse } from './shell/parser.ts'
import type { Terminal } from './shell/terminal.ts'
import { wrap } from './shell/wrap.ts'

/** Its signal is aborted by Ctrl-C, SIGTERM or SIGHUP. */
export interface CommandLineSession extends Waiting {
  readonly terminal: Terminal
}

/** Runs a command line, prints errors, and returns the exit code. A reader that has left ends it without an error. */
export async function runCommandLine(args: readonly string[], session: CommandLineSession): Promise<number> {
  const { terminal } = session
  const { output } = terminal
  const signal = AbortSignal.any([session.signal, output.failed])
  try {
    const code = await execute(args, { ...session, signal }).catch((error: unknown) => {
      if (error instanceof Interrupted && output.failed.aborted) return exitCodes.ok.code
      throw error
    })
    await output.finish()
    return code
  } catch (error) {
    const { kind, message, fix } = failureOf(error)
    terminal.note(`${styleText('red', '✗', { stream: process.stderr })} ${message}`)
    if (fix) terminal.note(`  → ${fix}`)
    if (error instanceof UsageError) terminal.note(`  → ${longshoreCommandLine} ${helpOf(args)}`)
    // One line, as --follow prints its results. Who interrupted it asked for no result.
    if (args.includes('--json') && kind !== 'interrupted')
      terminal.result(JSON.stringify({ error: message, fix }))
    await output.finish().catch(() => undefined)
    return exitCodes[kind].code
  }
}

/** The help of the command in a wrong command line, or else the overview. */
function helpOf(args: readonly string[]): string {
  const words = ` ${args.join(' ')} `
  const command = commands.find(({ name }) => words.includes(` ${name} `))
  return command ? `${command.name} --help` : '--help'
}

async function execute(args: readonly string[], session: CommandLineSession): Promise<number> {
  const { terminal } = session
  const parsed = parse(commands, args)
  if (parsed.kind === 'text') {
    terminal.result(parsed.text)
    return exitCodes.ok.code
  }
  const { command, ...invocation } = parsed
  const { ok, isIncomplete, text, data, form } = await command.run({ ...invocation, ...session })
  if (invocation.json) terminal.result(JSON.stringify(data, null, 2))
  else if (form === 'document') terminal.document(text)
  else terminal.result(form === 'unwrapped' ? text : wrap(text, terminal.columns))
  if (!ok) return exitCodes.problem.code
  return isIncomplete ? exitCodes.unknown.code : exitCodes.ok.code
}
