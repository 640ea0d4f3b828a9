import { styleText } from 'node:util'
import { failureOf, UsageError } from '../operator/errors.ts'
import { commands } from './commands/index.ts'
import { exitCodes } from './shell/exit-codes.ts'
import { parse } from './shell/parser.ts'
import type { Terminal } from './shell/terminal.ts'
import { wrap } from './shell/wrap.ts'

export interface Session {
  readonly terminal: Terminal
  /** Aborted by Ctrl-C, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal
}

/** Runs one command line and returns the exit code. Errors are printed, never thrown. */
export async function runCommandLine(args: readonly string[], session: Session): Promise<number> {
  try {
    return await execute(args, session)
  } catch (error) {
    const { terminal } = session
    const { kind, message, fix } = failureOf(error)
    terminal.note(`${styleText('red', '✗', { stream: process.stderr })} ${message}`)
    if (fix) terminal.note(`  → ${fix}`)
    if (error instanceof UsageError) terminal.note(`  → npx --no-install longshore ${helpOf(args)}`)
    // One line, as --follow prints its results. Who interrupted it asked for no result.
    if (args.includes('--json') && kind !== 'interrupted')
      terminal.result(JSON.stringify({ error: message, fix }))
    return exitCodes[kind].code
  }
}

/** The help of the command in a wrong command line, or else the overview. */
function helpOf(args: readonly string[]): string {
  const words = ` ${args.join(' ')} `
  const command = commands.find(({ name }) => words.includes(` ${name} `))
  return command ? `${command.name} --help` : '--help'
}

async function execute(args: readonly string[], { terminal, signal }: Session): Promise<number> {
  const parsed = parse(commands, args)
  if (parsed.kind === 'text') {
    terminal.result(parsed.text)
    return exitCodes.ok.code
  }
  const { command, ...invocation } = parsed
  const { ok, text, data, verbatim } = await command.run({ ...invocation, terminal, signal })
  const columns = verbatim ? undefined : terminal.columns
  terminal.result(invocation.json ? JSON.stringify(data, null, 2) : wrap(text, columns))
  return ok ? exitCodes.ok.code : exitCodes.problem.code
}
