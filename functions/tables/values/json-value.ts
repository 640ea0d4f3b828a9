import { quote } from '../../documents/json-bytes.ts'
import { decodeString } from '../fields/string-text.ts'

/** A JSON value in a text. */
export interface JsonValue {
  text: Buffer
  /** Whether all of the text is UTF-8. */
  isUtf8: boolean
  start: number
  end: number
  /** Whether it is a string with escapes. */
  isEscaped: boolean
}

export function isString({ text, start }: Readonly<JsonValue>): boolean {
  return text[start] === quote
}

/** The decoded string, without its quotes. */
export function stringOf({ text, start, end, isEscaped }: Readonly<JsonValue>): string {
  return decodeString(text, { start: start + 1, end: end - 1, isEscaped })
}

/** Reads what is between the quotes of a string. */
export function readWithin(
  value: Readonly<JsonValue>,
  reader: { read(text: Buffer, start: number, end: number): boolean },
): boolean {
  if (!value.isEscaped) return reader.read(value.text, value.start + 1, value.end - 1)
  const decoded = Buffer.from(stringOf(value))
  return reader.read(decoded, 0, decoded.length)
}
