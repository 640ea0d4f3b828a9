import { styleText } from 'node:util'
import { type Progress, progressBar } from './progress.ts'

/** Results go to standard output, everything else to standard error. */
export interface Terminal {
  /** Whether somebody can answer a prompt. */
  readonly isInteractive: boolean
  readonly input: NodeJS.ReadStream
  result(text: string): void
  note(text: string): void
  progress(title: string): Progress
}

export function processTerminal(): Terminal {
  const { stdin, stdout, stderr } = process
  return {
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    input: stdin,
    result: (text) => void stdout.write(`${text}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    progress: (title) => progressBar(title, stderr),
  }
}

// styleText leaves out colors if the stream or NO_COLOR asks for it.
export const bold = (text: string) => styleText('bold', text)
export const dim = (text: string) => styleText('dim', text)
export const green = (text: string) => styleText('green', text)
export const red = (text: string) => styleText('red', text)
export const yellow = (text: string) => styleText('yellow', text)
