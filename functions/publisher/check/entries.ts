import type { ManifestPage } from '../../../stored/snapshots/manifest.ts'

/** An entry of a line: 128 bits of the hash of its identity, and 64 bits of the hash of its bytes. */
export const idHashBytes = 16
export const contentBytes = 8
export const entryBytes = idHashBytes + contentBytes

/** A page that was read and counted, with the ETag that its object had. */
export interface CheckedPage {
  readonly page: ManifestPage
  readonly etag: string
  readonly withoutId: number
}

/** Some consecutive pages, and the entries of their lines in order. */
export interface CheckedPages {
  readonly pages: readonly CheckedPage[]
  readonly entries: Buffer
}

/** In the folder of a run: of the pages of an attempt, or of those that a manifest lists, from this number on. */
export const checkKey = (folder: string, name: string, first: number): string =>
  `${folder}check-${name}-p${String(first).padStart(6, '0')}.bin`

/** A range is named as in the keys of its pages. */
export const attemptName = (range: string, attempt: number): string =>
  `${range === '' ? '' : `${range}-`}a${attempt}`
export const listedName = 'listed'

/** A line of JSON, then the entries. */
export const encodeCheckedPages = ({ pages, entries }: CheckedPages): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify({ version: 1, pages })}\n`), entries])

/** Undefined if the object is not of this form. */
export function decodeCheckedPages(object: Buffer): CheckedPages | undefined {
  const end = object.indexOf('\n')
  try {
    const head = object.toString('utf8', 0, end)
    const { version, pages } = JSON.parse(head) as { version: number; pages: readonly CheckedPage[] }
    const entries = object.subarray(end + 1)
    const documents = pages.reduce((sum, { page }) => sum + page.documents, 0)
    return version === 1 && entries.length === documents * entryBytes ? { pages, entries } : undefined
  } catch {
    return undefined
  }
}

/** Each page with the entries of its lines. */
export function* entriesByPage({ pages, entries }: CheckedPages) {
  let at = 0
  for (const { page, withoutId } of pages) {
    const end = at + page.documents * entryBytes
    yield { page, withoutId, entries: entries.subarray(at, end) }
    at = end
  }
}
