import {
  closeBrace,
  closeBracket,
  isWhiteSpace,
  openBrace,
  openBracket,
  quote,
} from '../../functions/documents/json-bytes.ts'
import { decoded, scalarEnd, stringEnd } from '../../functions/documents/json-scalars.ts'

/** The JSON text of each top-level value of a document, by field name. */
export type Fields = ReadonlyMap<string, string>

/**
 * Reads the top level of a document that the worker has stored, so it is known to be valid. Values keep their text:
 * numbers keep their digits, and nesting needs no recursion.
 */
export function readFields(document: Buffer): Fields {
  const fields = new Map<string, string>()
  let at = skipSeparators(document, skipSeparators(document, 0) + 1)
  while (document[at] === quote) {
    const nameEnd = stringEnd(document, at + 1) + 1
    const name = decoded(document.toString('utf8', at, nameEnd))
    const start = skipSeparators(document, nameEnd)
    const end = valueEnd(document, start)
    fields.set(name, document.toString('utf8', start, end))
    at = skipSeparators(document, end)
  }
  return fields
}

const separators = new Set(Buffer.from(',:'))

function skipSeparators(text: Buffer, start: number): number {
  let at = start
  while (isWhiteSpace(text[at]) || separators.has(text[at] ?? 0)) at++
  return at
}

function valueEnd(text: Buffer, start: number): number {
  if (text[start] !== openBrace && text[start] !== openBracket) return scalarEnd(text, start)
  let depth = 0
  for (let at = start; at < text.length; ) {
    const byte = text[at]
    if (byte === quote) {
      at = stringEnd(text, at + 1) + 1
      continue
    }
    if (byte === openBrace || byte === openBracket) depth++
    else if (byte === closeBrace || byte === closeBracket) depth--
    at++
    if (depth === 0) return at
  }
  return text.length
}
