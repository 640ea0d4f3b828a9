import { fstatSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { confirm, isCancel, password, text } from '@clack/prompts'
import { CommandError, Interrupted } from '../../operator/errors.ts'
import { findFileFailure } from '../../operator/file-errors.ts'
import { type ProgressOutput, progressBar, progressBars } from '../../operator/text/progress.ts'
import { shownText } from './shown-text.ts'
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

export type StandardOutput = ReturnType<typeof standardOutput>

/** Where results go. Every write is awaited before the process exits, which would cut off what a pipe has not taken. */
export function standardOutput(stream: ProgressOutput) {
  const failed = new AbortController()
  let failure: NodeJS.ErrnoException | undefined
  let written = Promise.resolve()
  const fail = (error: NodeJS.ErrnoException) => {
    failure ??= error
    failed.abort()
  }
  stream.on('error', fail)
  const decoder = new StringDecoder('utf8')
  // Records of the platform may be cut anywhere.
  const shown = (bytes: string | Buffer) =>
    stream.isTTY && typeof bytes !== 'string' ? shownText(decoder.write(bytes)) : bytes
  return {
    /** `pipe` if a program reads what is written, at a time that the writer does not know. */
    kind: kindOf(stream),
    /** Aborted when the stream takes no more: the reader of a pipe has left, or a disk is full. */
    failed: failed.signal as AbortSignal,
    /** Resolves when the stream has taken the bytes. A terminal shows records without hidden characters. */
    write(bytes: string | Buffer): Promise<void> {
      const taken = new Promise<void>((done, refuse) => {
        if (failure) return refuse(failure)
        stream.write(shown(bytes), (error) => {
          if (!error) return done()
          fail(error)
          return refuse(failure)
        })
      })
      written = taken.catch(() => undefined)
      return taken
    },
    /** Resolves when everything was written. A reader that left is no error. Throws `CommandError`. */
    async finish() {
      await written
      if (failure && failure.code !== 'EPIPE') throw outputError(failure)
    },
  }
}

function outputError(cause: NodeJS.ErrnoException): CommandError {
  const failure = findFileFailure(cause)
  return new CommandError(
    `Cannot write the result to standard output: ${failure?.reason ?? cause.message}. The result is incomplete.`,
    { cause, ...(failure && { fix: failure.fix }) },
  )
}

/** Node connects a child process through sockets. */
function kindOf(stream: ProgressOutput & { readonly fd?: number }): 'pipe' | 'kept' {
  if (stream.fd === undefined) return 'kept'
  const stats = fstatSync(stream.fd)
  return stats.isFIFO() || stats.isSocket() ? 'pipe' : 'kept'
}
