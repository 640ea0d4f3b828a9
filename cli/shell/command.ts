import type { Target } from '../../operator/deployment/deployment.ts'
import type { Terminal } from './terminal.ts'

/** One row of the command table. Help, parsing, dispatch and docs/cli.md are generated from it. */
export interface Command {
  /** One word or two. */
  readonly name: string
  /** Imperative, without a full stop. */
  readonly summary: string
  /** `or-all`: an entity or the flag `all`, which the command must have. `or-run`: an entity or the id of a run. */
  readonly entity: 'none' | 'required' | 'or-all' | 'or-run'
  readonly flags: Flags
  /** Paragraphs of one line each. */
  readonly description: readonly string[]
  readonly examples: readonly Example[]
  run(invocation: Invocation<FlagValues>): Promise<CommandResult>
}

export interface Example {
  readonly purpose: string
  /** The command line without the program's name. */
  readonly command: string
}

export interface BooleanFlag {
  readonly type: 'boolean'
  readonly short?: string
  readonly summary: string
}

export interface ValueFlag {
  readonly type: 'string'
  readonly short?: string
  /** The value's name in help. */
  readonly value: string
  readonly choices?: readonly string[]
  readonly default?: string
  readonly summary: string
}

export type Flag = BooleanFlag | ValueFlag
export type Flags = Readonly<Record<string, Flag>>
export type FlagValues = Readonly<Record<string, string | boolean | undefined>>

type ValueOf<F extends Flag> = F extends BooleanFlag
  ? boolean
  :
      | (F extends { readonly choices: readonly (infer Choice)[] } ? Choice : string)
      | (F extends { readonly default: string } ? never : undefined)

type ValuesOf<F extends Flags> = { readonly [Name in keyof F]: ValueOf<F[Name]> }

export interface Invocation<Values> {
  /** Empty if the command takes none, or was given --all. With `or-run` it may be the id of a run. */
  readonly entity: string
  readonly values: Values
  readonly target: Target
  /** Whether the result is printed as JSON. */
  readonly json: boolean
  readonly terminal: Terminal
  /** Aborted by Ctrl-C, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal
}

/** `text` is printed for people, `data` with `--json`. The exit code is 1 unless `ok`. */
export interface CommandResult {
  readonly ok: boolean
  readonly text: string
  readonly data: unknown
}

/** Types `run` by the flags that the row lists. */
export function defineCommand<const F extends Flags>(
  row: Omit<Command, 'flags' | 'run'> & {
    readonly flags: F
    run(invocation: Invocation<ValuesOf<F>>): Promise<CommandResult>
  },
): Command {
  return row as unknown as Command
}
