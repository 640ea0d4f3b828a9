import type { Target } from '../deployment.ts'
import type { Terminal } from './terminal.ts'

/** One row of the command table: help, parsing, dispatch and docs/cli.md are made from it. */
export interface Command {
  /** One word or two. */
  readonly name: string
  readonly summary: string
  /** Whether the name of an entity follows. */
  readonly takesEntity: boolean
  readonly options: OptionRows
  /** What one must know beyond the options: paragraphs of one line each. */
  readonly notes: readonly string[]
  run(call: Call<Record<string, string | boolean | undefined>>): Promise<Outcome>
}

export interface OptionRow {
  readonly type: 'boolean' | 'string'
  readonly short?: string
  /** How help calls the value. */
  readonly value?: string
  readonly choices?: readonly string[]
  readonly summary: string
}

export type OptionRows = Readonly<Record<string, OptionRow>>

type ValueOf<O extends OptionRow> = O['type'] extends 'boolean'
  ? boolean
  : (O extends { readonly choices: readonly (infer Choice)[] } ? Choice : string) | undefined

type Values<O extends OptionRows> = { readonly [Name in keyof O]: ValueOf<O[Name]> }

export interface Call<V> {
  /** Empty if the command takes none. */
  readonly entity: string
  readonly values: V
  readonly target: Target
  readonly terminal: Terminal
  /** Aborted by Ctrl-C or a kind kill. */
  readonly signal: AbortSignal
}

/** What a command found: `text` for people, `data` for `--json`. Not `ok`: the exit code is 1. */
export interface Outcome {
  readonly ok: boolean
  readonly text: string
  readonly data: unknown
}

/** A row whose `run` is given the values of just the options that it lists. */
export function defineCommand<const O extends OptionRows>(
  row: Omit<Command, 'options' | 'run'> & {
    readonly options: O
    run(call: Call<Values<O>>): Promise<Outcome>
  },
): Command {
  return row as unknown as Command
}
