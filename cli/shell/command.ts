import { longshoreCommand, type Target } from '../../operator/deployment/deployment.ts'
import { CommandError } from '../../operator/errors.ts'
import { shellWord } from '../../operator/text/shell-word.ts'
import type { Waiting } from '../../operator/waiting.ts'
import type { Terminal } from './terminal.ts'

/** One row of the command table. The parser, help and docs/cli.md are generated from it. */
export interface Command {
  /** One word or two. */
  readonly name: string
  /** Imperative, without a full stop. */
  readonly summary: string
  /** In brackets if it can be left out. Two are separated by a space. */
  readonly argument?:
    | '<ENTITY>'
    | '[ENTITY...]'
    | '<RUN>'
    | '<RUN|ENTITY>'
    | '<ENTITY> [ID]'
    | '<RUN> <RUN>'
    | '[+TIME]'
  readonly options?: Options
  /** Paragraphs of one line each. */
  readonly description: readonly string[]
  /** What each command line does, by the command line without the program's name. */
  readonly examples: Readonly<Record<string, string>>
  run(invocation: CommandInvocation<OptionValues>): Promise<CommandResult>
}

/** By the flags of an option, as commander writes them: `-o, --output <FILE>`. */
export type Options = Readonly<Record<string, string | OptionRow>>
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>

interface OptionRow {
  readonly summary: string
  readonly choices?: readonly string[]
  readonly default?: string
}

type CamelCase<Name> = Name extends `${infer Word}-${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Name

/** `output` for `-o, --output <FILE>`, and `open` for `--no-open`. */
type NameOf<Flags> = Flags extends `${string}--${infer Name} <${string}`
  ? CamelCase<Name>
  : Flags extends `${string}--${infer Name}`
    ? CamelCase<Name extends `no-${infer Positive}` ? Positive : Name>
    : never

type ValueOf<Flags, Row> = Flags extends `${string}<${string}`
  ?
      | (Row extends { readonly choices: readonly (infer Choice)[] } ? Choice : string)
      | (Row extends { readonly default: string } ? never : undefined)
  : boolean

export type ValuesOf<O extends Options> = {
  readonly [Flags in keyof O as NameOf<Flags>]: ValueOf<Flags, O[Flags]>
}

export interface CommandInvocation<Values> extends Waiting {
  /** The argument, which may be the id of a run; empty if there is none. */
  readonly entity: string
  /** The second argument; empty if there is none. */
  readonly id: string
  /** All arguments. */
  readonly args: readonly string[]
  readonly values: Values
  readonly target: Target
  /** Whether the result is printed as JSON. */
  readonly json: boolean
  readonly terminal: Terminal
}

/** `text` is printed for people, `data` with `--json`. */
export interface CommandResult {
  /** The exit code is 1 unless it is true. */
  readonly ok: boolean
  /** The exit code is 2 if nothing else makes it 1: something could not be looked at. */
  readonly isIncomplete?: boolean
  readonly text: string
  readonly data: unknown
  /**
   * `unwrapped`: the text is for a program or a file, so that a terminal's width does not break its lines. `document`: so
   * is the platform's document, which keeps each of its bytes there.
   */
  readonly form?: 'unwrapped' | 'document'
}

/** Types `run` by the options that the row lists. */
export function defineCommand<const O extends Options>(
  row: Omit<Command, 'options' | 'run'> & {
    readonly options?: O
    run(invocation: CommandInvocation<ValuesOf<O>>): Promise<CommandResult>
  },
): Command {
  return row as unknown as Command
}

/** Throws `CommandError` with the same command and `--yes` if a command has to ask and nobody can respond. */
export function requireYes(
  { values, args, terminal, target }: CommandInvocation<OptionValues>,
  name: string,
): void {
  if (values['yes'] || terminal.isInteractive) return
  const flags = Object.entries(values)
    .filter(([, value]) => value === true)
    .map(([option]) => `--${option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`)
  throw new CommandError(`Without a terminal, ${name} needs --yes.`, {
    fix: longshoreCommand(target, [name, ...args.map(shellWord), ...flags, '--yes'].join(' ')),
  })
}
