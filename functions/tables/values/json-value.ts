import { decodeString, notations } from '../../documents/fields/string-text.ts'
import { quote } from '../../documents/json-bytes.ts'

/** A JSON value in a text. Strings also have one of `notations`. */
export interface JsonValue {
  text: Buffer
  start: number
  end: number
  notation: number
}

export function isString({ text, start }: Readonly<JsonValue>): boolean {
  return text[start] === quote
}

/** Reads what is between the quotes of a string. */
export function readWithin(
  { text, start, end, notation }: Readonly<JsonValue>,
  reader: { read(text: Buffer, start: number, end: number): boolean },
): boolean {
  if (notation !== notations.escaped) return reader.read(text, start + 1, end - 1)
  const decoded = Buffer.from(decodeString(text, { start: start + 1, end: end - 1, notation }))
  return reader.read(decoded, 0, decoded.length)
}
