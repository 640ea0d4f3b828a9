import { closeBracket, hasByteOrderMark, isWhiteSpace, openBracket } from '../../documents/json-bytes.ts'

export type BodyKind = 'nothing' | 'documents' | 'something else'

/** What a body holds, by a quick look at both of its ends. */
export function bodyKind(body: Buffer): BodyKind {
  if (holdsNothing(body)) return 'nothing'
  return looksWhole(body) ? 'documents' : 'something else'
}

/** A quick look at both ends, for the moment before the whole page is looked at: not HTML, not cut off. */
export function looksWhole(body: Buffer): boolean {
  let start = hasByteOrderMark(body) ? 3 : 0
  let end = body.length - 1
  while (isWhiteSpace(body[start])) start++
  while (end > start && isWhiteSpace(body[end])) end--
  return body[start] === openBracket && body[end] === closeBracket && end > start
}

/** Empty, white space or an empty array: how the upstream ends a scroll. */
export function holdsNothing(body: Buffer): boolean {
  const nextToken = (from: number) => {
    let at = from
    while (isWhiteSpace(body[at])) at++
    return at
  }
  const first = nextToken(hasByteOrderMark(body) ? 3 : 0)
  // A byte order mark alone is the beginning of something that was cut off.
  if (body[first] !== openBracket) return first === body.length && !hasByteOrderMark(body)
  const second = nextToken(first + 1)
  return body[second] === closeBracket && nextToken(second + 1) === body.length
}
