import { isWhiteSpace, openBrace, openBracket, quote } from '../../functions/documents/json-bytes.ts'
import { containerEnd, decoded, scalarEnd, stringEnd } from '../../functions/documents/json-scalars.ts'

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
  const isContainer = text[start] === openBrace || text[start] === openBracket
  return isContainer ? containerEnd(text, start) : scalarEnd(text, start)
}
