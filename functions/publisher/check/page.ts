import { createHash } from 'node:crypto'
import { formatCount } from '../../runtime/format-count.ts'
import { Damaged } from './damage.ts'
import { readLines, type StoredLines } from './stored-lines.ts'

/** What a manifest says of a page. */
export interface ListedPage {
  readonly key: string
  readonly documents: number
  /** Size and SHA-256 (hex) of the object. */
  readonly bytes: number
  readonly sha256: string
}

/** What was recorded of the response that a page was made from. */
export interface ReceivedBody {
  /** Size and SHA-256 (hex) of the decoded body, by the HTTP client. */
  readonly bodyBytes: number
  readonly bodySha256: string
  /** White space between the documents of the body, and a byte order mark. */
  readonly spaceBytes: number
  /** True if a line break in a document was replaced by a space. */
  readonly replacesLineBreaks: boolean
}

/** Compares a stored page with what is listed and recorded of it. Throws `Damaged`. */
export function checkPage(
  object: Buffer | undefined,
  { page, idField, received }: { page: ListedPage; idField: string; received: ReceivedBody | undefined },
): StoredLines {
  try {
    return readPage(object, { page, idField, received })
  } catch (error) {
    throw error instanceof Damaged ? new Damaged(`The page ${page.key} as stored ${error.message}.`) : error
  }
}

function readPage(
  object: Buffer | undefined,
  { page, idField, received }: { page: ListedPage; idField: string; received: ReceivedBody | undefined },
): StoredLines {
  const lines = readLines(checkObject(object, page), idField)
  expectNumber(lines.documents, page.documents, 'documents')
  if (received) checkBody(lines, received)
  return lines
}

/** Compares an object with what is listed of it. Throws `Damaged`. */
export function checkObject(
  object: Buffer | undefined,
  listed: Pick<ListedPage, 'bytes' | 'sha256'>,
): Buffer {
  if (!object) throw new Damaged('does not exist')
  expectNumber(object.length, listed.bytes, 'bytes')
  const sha256 = createHash('sha256').update(object).digest('hex')
  if (sha256 !== listed.sha256) throw new Damaged(`has the SHA-256 ${sha256}; ${listed.sha256} was committed`)
  return object
}

/** `[`, the documents with a comma between each two, and `]` are one byte longer than the lines. */
function checkBody({ text }: StoredLines, received: ReceivedBody): void {
  const { bodyBytes, bodySha256, spaceBytes, replacesLineBreaks } = received
  const expected = text.length + 1 + spaceBytes
  if (bodyBytes !== expected)
    throw new Damaged(
      `stands for a response of ${formatCount(expected)} bytes; ${formatCount(bodyBytes)} were received`,
    )
  if (spaceBytes > 0 || replacesLineBreaks) return
  if (bodyHash(text) !== bodySha256) throw new Damaged('does not have the bytes that were received')
}

/** Of the body that these lines were made from. A line feed in them always ends a document. */
function bodyHash(text: Buffer): string {
  const body = Buffer.allocUnsafe(text.length + 1)
  body.write('[')
  text.copy(body, 1)
  for (let at = body.indexOf('\n'); at >= 0; at = body.indexOf('\n', at)) body.write(',', at)
  body.write(']', body.length - 1)
  return createHash('sha256').update(body).digest('hex')
}

export function expectNumber(found: number, committed: number, what: string): void {
  if (found !== committed)
    throw new Damaged(`has ${formatCount(found)} ${what}; ${formatCount(committed)} were committed`)
}
