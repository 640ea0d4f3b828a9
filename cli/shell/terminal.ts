import type { Readable } from 'node:stream'
import { confirm, isCancel, password, text } from '@clack/prompts'
import { Interrupted } from '../../operator/errors.ts'
import { type ProgressOutput, progressBar, progressBars } from '../../operator/text/progress.ts'
import { shownText } from './shown-text.ts'
import { standardOutput } from './standard-output.ts'
import { wrap } from './wrap.ts'

export interface Question {
  readonly message: string
  /** An example, shown while nothing is entered. */
  readonly placeholder?: string
  /** The answer to start from. */
  readonly initial?: string
  /** Why the question is asked again; undefined if the answer is valid. */
  readonly findError: (value: string) => string | undefined
}

export type Terminal = Readonly<ReturnType<typeof createTerminal>>

export type Streams = { readonly stdin: TerminalInput } & Readonly<
  Record<'stdout' | 'stderr', ProgressOutput>
>

export type TerminalInput = Readable & { readonly isTTY?: boolean }

/** Results go to standard output, everything else to standard error. Prompts throw `Interrupted`. */
export function createTerminal({ stdin, stdout, stderr }: Streams) {
  const streams = { input: stdin, output: stderr }
  const output = standardOutput(stdout)
  // Its reader has left, or its disk is full: there is no other place to report it.
  stderr.on('error', () => undefined)
  const print = (text: string) => void output.write(text).catch(() => undefined)
  return {
    /** Where results are written, for what must know whether they were taken. */
    output,
    /** Whether a person can answer a prompt. */
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    input: stdin,
    /** The width of the results; undefined if they are not printed on a terminal. */
    columns: stdout.isTTY ? stdout.columns : undefined,
    rows: stdout.isTTY ? stdout.rows : undefined,
    /** Asks a yes-or-no question; Enter alone is No. */
    confirm: async (message: string) =>
      answerOf(await confirm({ message, initialValue: false, ...streams }), 'Interrupted.'),
    ask: async ({ message, placeholder, initial, findError }: Question) => {
      const answer = await text({
        message,
        ...streams,
        ...(placeholder !== undefined && { placeholder }),
        ...(initial !== undefined && { initialValue: initial }),
        validate: (value = '') => findError(value.trim()),
      })
      return answerOf(answer, nothingChanged).trim()
    },
    /** Asks for a line of text without echo. */
    askSecret: async ({ message, findError }: Pick<Question, 'message' | 'findError'>) => {
      const validate = (value = '') => findError(value.trim())
      return answerOf(await password({ message, ...streams, validate }), nothingChanged).trim()
    },
    result: (text: string) => print(`${shownText(text)}\n`),
    /** Prints a document: its own bytes into a file or a pipe, without hidden characters on a terminal. */
    document: (text: string) => print(`${stdout.isTTY ? shownText(text) : text}\n`),
    /** Prints a result in place of everything that a terminal shows. */
    refresh: (text: string) => print(`${stdout.isTTY ? clearScreen : ''}${shownText(text)}\n`),
    note: (text: string) =>
      void stderr.write(`${wrap(shownText(text), stderr.isTTY ? stderr.columns : undefined)}\n`),
    progress: (title: string) => progressBar(title, stderr),
    progressBars: () => progressBars(stderr),
  }
}

/** Moves to the upper left corner and erases what follows, and what was scrolled. */
const clearScreen = '\x1b[H\x1b[2J\x1b[3J'

const nothingChanged = 'Interrupted. Nothing was changed.'

/** The answer, unless the prompt was left with Ctrl-C. */
function answerOf<T>(answer: T, ifInterrupted: string): Exclude<T, symbol> {
  if (isCancel(answer)) throw new Interrupted(ifInterrupted)
  return answer as Exclude<T, symbol>
}
