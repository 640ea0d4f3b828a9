import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { openBrace, openBracket } from '../../documents/json-bytes.ts'
import { withoutLoneSurrogates } from '../../documents/lone-surrogates.ts'
import { isString, type JsonValue, stringOf } from './json-value.ts'
import { PlainValues } from './plain-values.ts'

/** Writes the text of a string, number or boolean. Refuses objects, arrays, and text that UTF-8 cannot represent. */
export function writeText(value: Readonly<JsonValue>, plain: PlainValues): boolean {
  const { text, start, end } = value
  if (isString(value)) return writeString(value, plain)
  if (text[start] === openBrace || text[start] === openBracket) return false
  plain.appendBytes(text, start, end)
  return true
}

const hashed = new PlainValues()

/** Writes the SHA-256 of the text in lower-case hexadecimal digits. */
export function writeTextHash(value: Readonly<JsonValue>, plain: PlainValues): boolean {
  hashed.length = 0
  if (!writeText(value, hashed)) return false
  plain.appendString(hash('sha256', hashed.bytes.subarray(4, hashed.length), 'hex'))
  return true
}

function writeString(value: Readonly<JsonValue>, plain: PlainValues): boolean {
  const { text, start, end } = value
  // Decoding would replace what is not UTF-8.
  if (!isValid(value)) return false
  if (!value.isEscaped) {
    plain.appendBytes(text, start + 1, end - 1)
    return true
  }
  const string = stringOf(value)
  if (!string.isWellFormed()) return false
  plain.appendString(string)
  return true
}

/** Writes the JSON of the value as the platform sent it, without the escapes that readers of JSON refuse. */
export function writeJson(value: Readonly<JsonValue>, plain: PlainValues): boolean {
  const { text, start, end } = value
  if (isValid(value)) plain.appendBytes(withoutLoneSurrogates(text.subarray(start, end)), 0, end - start)
  else plain.appendString(text.toString('utf8', start, end))
  return true
}

export function writeBoolean({ text, start }: Readonly<JsonValue>, plain: PlainValues): boolean {
  const isTrue = text[start] === letterT
  if (!isTrue && text[start] !== letterF) return false
  plain.appendByte(isTrue ? 1 : 0)
  return true
}

const isValid = ({ isUtf8: isWhole, text, start, end }: Readonly<JsonValue>) =>
  isWhole || isUtf8(text.subarray(start, end))

const letterF = 0x66
const letterT = 0x74
