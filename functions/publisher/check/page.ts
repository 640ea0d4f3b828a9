import { hash } from 'node:crypto'
import type { ReceivedPage } from '../../../stored/pages/page.ts'
import type { ManifestPage } from '../../../stored/snapshots/manifest.ts'
import { formatCount } from '../../runtime/format-count.ts'
import { Damaged, inContext } from './damage.ts'
import { readLines } from './stored-lines.ts'

/** What a manifest says of a page. */
export type ListedPage = Omit<ManifestPage, 'range'>

/** Compares a stored page with what is listed and recorded of it. Throws `Damaged`. */
export function checkPage(
  object: Buffer | undefined,
  { page, idField, received }: { page: ListedPage; idField: string; received: ReceivedPage | undefined },
) {
  return inContext(
    (problem) => `The page ${page.key} as stored ${problem}.`,
    () => {
      const lines = readLines(checkObject(object, page), idField)
      expectNumber(lines.documents, page.documents, 'documents')
      if (received) checkBody(lines.text, received)
      return lines
    },
  )
}

/** Compares an object with what is listed of it. Throws `Damaged`. */
export function checkObject(
  object: Buffer | undefined,
  listed: Pick<ListedPage, 'bytes' | 'sha256'>,
): Buffer {
  if (!object) throw new Damaged('does not exist')
  expectNumber(object.length, listed.bytes, 'bytes')
  const sha256 = hash('sha256', object)
  if (sha256 !== listed.sha256) throw new Damaged(`has the SHA-256 ${sha256}; ${listed.sha256} was committed`)
  return object
}

/** `[`, the documents with a comma between each two, and `]` are one byte longer than the lines. */
function checkBody(text: Buffer, received: ReceivedPage): void {
  const { exchanges, bodySha256, spaceBytes, replacesLineBreaks } = received
  const response = exchanges.at(-1)
  const bodyBytes = response && 'status' in response ? response.bodyBytes : 0
  const expected = text.length + 1 + spaceBytes
  if (bodyBytes !== expected)
    throw new Damaged(
      `stands for a response of ${formatCount(expected)} bytes; ${formatCount(bodyBytes)} were received`,
    )
  if (spaceBytes > 0 || replacesLineBreaks) return
  // A line feed in the lines always ends a document.
  const body = `[${text.toString().slice(0, -1).replaceAll('\n', ',')}]`
  if (hash('sha256', body) !== bodySha256) throw new Damaged('does not have the bytes that were received')
}

export function expectNumber(found: number, committed: number, what: string): void {
  if (found !== committed)
    throw new Damaged(`has ${formatCount(found)} ${what}; ${formatCount(committed)} were committed`)
}
