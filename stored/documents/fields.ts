import { closeBracket, isWhiteSpace, openBrace, openBracket, quote } from './json-bytes.ts'
import { containerEnd, decoded, scalarEnd, stringEnd } from './json-scalars.ts'

/** The JSON text of each top-level value of a document, by field name. */
export type Fields = ReadonlyMap<string, string>

/** Values keep their text: numbers keep their digits. */
export const readFields = (document: Buffer): Fields =>
  new Map([...membersIn(document)].map(({ name, value }) => [name, value.toString()]))

/**
 * The top-level members of a document that the worker has stored, so it is known to be valid. Nesting needs no recursion.
 */
export function* membersIn(document: Buffer): Generator<{ readonly name: string; readonly value: Buffer }> {
  let at = skipSeparators(document, skipSeparators(document, 0) + 1)
  while (document[at] === quote) {
    const nameEnd = stringEnd(document, at + 1) + 1
    const name = decoded(document.toString('utf8', at, nameEnd))
    const start = skipSeparators(document, nameEnd)
    const end = valueEnd(document, start)
    yield { name, value: document.subarray(start, end) }
    at = skipSeparators(document, end)
  }
}

/** The elements of a list, and of the lists in it instead of these. */
export function* elementsIn(list: Buffer): Generator<Buffer> {
  for (let at = 0; ; ) {
    while (isSeparator(list[at]) || list[at] === openBracket || list[at] === closeBracket) at++
    if (at >= list.length) return
    const end = valueEnd(list, at)
    yield list.subarray(at, end)
    at = end
  }
}

/** The JSON text at a path of names. The value must exist. */
export function textAt(fields: Fields, [name = '', ...names]: readonly string[]): string {
  const text = fields.get(name) ?? ''
  return names.length === 0 ? text : textAt(readFields(Buffer.from(text)), names)
}

const separators = new Set(Buffer.from(',:'))

function skipSeparators(text: Buffer, start: number): number {
  let at = start
  while (isSeparator(text[at])) at++
  return at
}

const isSeparator = (byte: number | undefined) => isWhiteSpace(byte) || separators.has(byte ?? 0)

function valueEnd(text: Buffer, start: number): number {
  const isContainer = text[start] === openBrace || text[start] === openBracket
  return isContainer ? containerEnd(text, start) : scalarEnd(text, start)
}
