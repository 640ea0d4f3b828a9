import { beginning } from '../runtime/format.ts'

const maxReadBytes = 4_096

/** The beginning of a body as text on one line, without what a terminal would execute. */
export function quotedBody(body: Buffer, redact: (text: string) => string): string {
  const read = onOneLine(body.toString('utf8', 0, maxReadBytes))
  // A credential that is cut in two would not be recognized.
  const end = body.length > maxReadBytes ? Math.max(read.lastIndexOf(' '), read.length - 1_000) : read.length
  return redact(read.slice(0, end)).trim()
}

/** A text without line breaks and what a terminal would execute. */
export const onOneLine = (text: string): string => text.replaceAll(/[\s\p{C}]+/gu, ' ')

/** At most so many characters of a text. */
export const shorten = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${beginning(text, maxLength)}…` : text
