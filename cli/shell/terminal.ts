import { styleText } from 'node:util'
import { type Progress, progressBar } from './progress.ts'

/** Where people read, and where scripts do: results on standard output, all else on standard error. */
export interface Terminal {
  /** Whether a person sits there who can be asked. */
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

// styleText leaves colours out where the stream or NO_COLOR says so.
export const bold = (text: string) => styleText('bold', text)
export const dim = (text: string) => styleText('dim', text)
export const green = (text: string) => styleText('green', text)
export const red = (text: string) => styleText('red', text)
export const yellow = (text: string) => styleText('yellow', text)
