import { styleText } from 'node:util'
import { confirm, isCancel } from '@clack/prompts'
import { Interrupted } from './errors.ts'
import { type Output, type Progress, type ProgressBars, progressBar, progressBars } from './progress.ts'

/** Results go to standard output, everything else to standard error. */
export interface Terminal {
  /** Whether a person can answer a prompt. */
  readonly isInteractive: boolean
  readonly input: NodeJS.ReadableStream
  /** Asks a yes-or-no question. Only if `isInteractive`. Throws `Interrupted`. */
  confirm(question: string): Promise<boolean>
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

// styleText leaves out colors if the stream or NO_COLOR asks for it.
export const bold = (text: string) => styleText('bold', text)
export const dim = (text: string) => styleText('dim', text)
export const green = (text: string) => styleText('green', text)
export const red = (text: string) => styleText('red', text)
export const yellow = (text: string) => styleText('yellow', text)
