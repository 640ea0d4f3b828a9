import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { decodeString, notations } from '../../documents/fields/string-text.ts'
import { openBrace, openBracket, quote } from '../../documents/json-bytes.ts'
import type { JsonValue } from './json-value.ts'

/** The text of a string, number or boolean. Undefined for objects, arrays and text that UTF-8 cannot represent. */
export function readText(value: Readonly<JsonValue>): string | undefined {
  const { text, start, end } = value
  const first = text[start]
  if (first === quote) return readString(value)
  return first === openBrace || first === openBracket ? undefined : text.toString('latin1', start, end)
}

/** The SHA-256 of the text in lower-case hexadecimal digits. */
export function readTextHash(value: Readonly<JsonValue>): string | undefined {
  const text = readText(value)
  return text === undefined ? undefined : hash('sha256', text, 'hex')
}

function readString({ text, start, end, notation }: Readonly<JsonValue>): string | undefined {
  const string = decodeString(text, { start: start + 1, end: end - 1, notation })
  if (notation === notations.ascii) return string
  if (notation === notations.escaped && !string.isWellFormed()) return undefined
  // Decoding replaces what is not UTF-8 by this character, which documents can also contain.
  const isDoubtful = string.includes('\ufffd')
  return isDoubtful && !isUtf8(text.subarray(start, end)) ? undefined : string
}

/** The JSON of the value as the platform sent it. */
export function readJson({ text, start, end }: Readonly<JsonValue>): string {
  return text.toString('utf8', start, end)
}

export function readBoolean({ text, start }: Readonly<JsonValue>): boolean | undefined {
  if (text[start] === letterT) return true
  return text[start] === letterF ? false : undefined
}

const letterF = 0x66
const letterT = 0x74
