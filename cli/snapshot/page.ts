import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { lineFeed } from '../../functions/documents/json-bytes.ts'
import type { ManifestPage } from '../../functions/state/manifest.ts'
import type { ReadObject } from '../aws/objects.aws.ts'

/** A page compared with its entry in the manifest: its documents, one per line, or what is wrong with it. */
export type CheckedPage =
  | { readonly page: ManifestPage; readonly lines: Buffer }
  | { readonly page: ManifestPage; readonly problem: string }

/** Enough to use the bandwidth, few enough to fit in memory. */
const maxConcurrentReads = 8

/** Checks pages in order; the following ones are fetched in the meantime. */
export async function* checkedPages(
  pages: readonly ManifestPage[],
  read: ReadObject,
): AsyncGenerator<CheckedPage> {
  const fetched: Promise<CheckedPage>[] = []
  for (let next = 0; next < pages.length || fetched.length > 0; ) {
    while (fetched.length < maxConcurrentReads && next < pages.length) {
      const page = pages[next++] as ManifestPage
      const checked = read(page.key).then((object) => checkPage(page, object))
      // A caller that stops early does not await the rest.
      checked.catch(() => {})
      fetched.push(checked)
    }
    yield await (fetched.shift() as Promise<CheckedPage>)
  }
}

export async function checkPage(page: ManifestPage, object: Buffer | undefined): Promise<CheckedPage> {
  if (!object) return { page, problem: 'not found in the bucket' }
  if (object.length !== page.bytes) {
    return { page, problem: `${object.length} bytes; the manifest has ${page.bytes}` }
  }
  if (createHash('sha256').update(object).digest('hex') !== page.sha256) {
    return { page, problem: 'its SHA-256 differs from the manifest' }
  }
  const lines = await promisify(gunzip)(object).catch(() => undefined)
  if (!lines) return { page, problem: 'not gzip' }
  const documents = countLines(lines)
  if (documents !== page.documents || (lines.length > 0 && lines.at(-1) !== lineFeed)) {
    return { page, problem: `${documents} documents; the manifest has ${page.documents}` }
  }
  return { page, lines }
}

function countLines(lines: Buffer): number {
  let count = 0
  for (let at = lines.indexOf(lineFeed); at >= 0; at = lines.indexOf(lineFeed, at + 1)) count++
  return count
}
