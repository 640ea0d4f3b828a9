import { confirm, isCancel, text } from '@clack/prompts'
import { Interrupted } from '../../operator/errors.ts'
import {
  type Output,
  type Progress,
  type ProgressBars,
  progressBar,
  progressBars,
} from '../../operator/text/progress.ts'

export interface Question {
  readonly message: string
  /** An example, shown while nothing is entered. */
  readonly placeholder?: string
  /** The answer to start from. */
  readonly initial?: string
  /** Why the question is asked again; undefined if the answer is valid. */
  readonly findMistake: (answer: string) => string | undefined
}

/** Results go to standard output, everything else to standard error. */
export interface Terminal {
  /** Whether a person can answer a prompt. */
  readonly isInteractive: boolean
  readonly input: NodeJS.ReadableStream
  /** Asks a yes-or-no question. Only if `isInteractive`. Throws `Interrupted`. */
  confirm(question: string): Promise<boolean>
  /** Asks for a line of text. Only if `isInteractive`. Throws `Interrupted`. */
  ask(question: Question): Promise<string>
  result(text: string): void
  note(text: string): void
  progress(title: string): Progress
  progressBars(): ProgressBars
}

export interface Streams {
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
}

export type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean }

export function createTerminal({ stdin, stdout, stderr }: Streams): Terminal {
  return {
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    input: stdin,
    confirm: confirmOnTerminal,
    ask: askOnTerminal,
    result: (text) => void stdout.write(`${text}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    progress: (title) => progressBar(title, stderr),
    progressBars: () => progressBars(stderr),
  }
}

async function confirmOnTerminal(message: string): Promise<boolean> {
  const answer = await confirm({ message, output: process.stderr })
  if (isCancel(answer)) throw new Interrupted('Interrupted.')
  return answer
}

async function askOnTerminal({ message, placeholder, initial, findMistake }: Question): Promise<string> {
  const answer = await text({
    message,
    output: process.stderr,
    ...(placeholder !== undefined && { placeholder }),
    ...(initial !== undefined && { initialValue: initial }),
    validate: (value = '') => findMistake(value.trim()),
  })
  if (isCancel(answer)) throw new Interrupted('Interrupted. Nothing was changed.')
  return answer.trim()
}
