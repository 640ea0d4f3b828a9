import {
  closeBracket,
  hasByteOrderMark,
  isWhiteSpace,
  openBrace,
  openBracket,
} from '../../../stored/documents/json-bytes.ts'
import { MalformedPage } from '../../../stored/documents/json-scalars.ts'
import { DocumentScanner } from '../../../stored/documents/json-scanner.ts'

/** `nothing`: JSON that is no list, such as `null`, `{}` or an error. */
export type BodyKind = 'empty' | 'nothing' | 'documents' | 'cut-off' | 'other'

const nothing = /^(?:null|true|false|\d*|".*"|\{.*\})\s*$/s
/** As much as is recorded of it. An object is no list by its beginning. */
const maxNothingBytes = 1_000

/** The kind of a body, by its first and last bytes. */
export function bodyKind(body: Buffer): BodyKind {
  if (isEmptyPage(body)) return 'empty'
  if (isBracketed(body)) return 'documents'
  const start = contentStart(body)
  if (body[start] === openBracket) return 'cut-off'
  const isRecorded = body.length <= maxNothingBytes || body[start] === openBrace
  return isRecorded && nothing.test(body.toString('latin1', start)) ? 'nothing' : 'other'
}

/** The kind of a page. A first page is read to its end: only that page can be requested again with a smaller size. */
export const pageKinds = { first: firstPageKind, later: bodyKind }

function firstPageKind(body: Buffer): BodyKind {
  const kind = bodyKind(body)
  return kind === 'documents' && endsWithinDocument(body) ? 'cut-off' : kind
}

function endsWithinDocument(body: Buffer): boolean {
  const scanner = new DocumentScanner(body, Buffer.alloc(0))
  try {
    while (scanner.next());
    return false
  } catch (error) {
    return error instanceof MalformedPage && error.at === body.length
  }
}

/** True if the body begins and ends like an array: neither HTML nor truncated. */
function isBracketed(body: Buffer): boolean {
  let end = body.length - 1
  while (isWhiteSpace(body[end])) end--
  return body[contentStart(body)] === openBracket && body[end] === closeBracket
}

/** True for nothing, white space or an empty array: the ways in which the platform ends a scroll. */
function isEmptyPage(body: Buffer): boolean {
  const first = contentStart(body)
  // A byte order mark alone is the beginning of a truncated body.
  if (body[first] !== openBracket) return first === body.length && !hasByteOrderMark(body)
  const second = nextToken(body, first + 1)
  return body[second] === closeBracket && nextToken(body, second + 1) === body.length
}

const contentStart = (body: Buffer): number => nextToken(body, hasByteOrderMark(body) ? 3 : 0)

function nextToken(body: Buffer, from: number): number {
  let at = from
  while (isWhiteSpace(body[at])) at++
  return at
}
