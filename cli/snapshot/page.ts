import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Manifest, ManifestPage } from '../../functions/state/manifest.ts'
import type { ReadObject } from '../aws/objects.aws.ts'

/** A page held against its line of the manifest: its documents, one a line, or what is wrong with it. */
export type CheckedPage =
  | { readonly page: ManifestPage; readonly lines: Buffer }
  | { readonly page: ManifestPage; readonly problem: string }

/** Pages that are fetched at once: enough to fill a line, few enough to fit in memory. */
const atOnce = 8

/** The pages of a snapshot in their order, each checked; the next ones are fetched meanwhile. */
export async function* checkedPages({ pages }: Manifest, read: ReadObject): AsyncGenerator<CheckedPage> {
  const fetched: Promise<CheckedPage>[] = []
  for (let next = 0; next < pages.length || fetched.length > 0; ) {
    while (fetched.length < atOnce && next < pages.length) {
      const page = pages[next++] as ManifestPage
      const checked = read(page.key).then((object) => checkPage(page, object))
      // Whoever stops early does not wait for the rest.
      checked.catch(() => {})
      fetched.push(checked)
    }
    yield await (fetched.shift() as Promise<CheckedPage>)
  }
}

export async function checkPage(page: ManifestPage, object: Buffer | undefined): Promise<CheckedPage> {
  if (!object) return { page, problem: 'it is not in the bucket' }
  if (object.length !== page.bytes) {
    return { page, problem: `it has ${object.length} bytes; the manifest says ${page.bytes}` }
  }
  if (createHash('sha256').update(object).digest('hex') !== page.sha256) {
    return { page, problem: 'its SHA-256 is not that of the manifest' }
  }
  const lines = await promisify(gunzip)(object).catch(() => undefined)
  if (!lines) return { page, problem: 'it is not gzip' }
  const documents = countLines(lines)
  if (documents !== page.documents || (lines.length > 0 && lines.at(-1) !== lineFeed)) {
    return { page, problem: `it has ${documents} documents; the manifest says ${page.documents}` }
  }
  return { page, lines }
}

const lineFeed = 0x0a

function countLines(lines: Buffer): number {
  let count = 0
  for (let at = lines.indexOf(lineFeed); at >= 0; at = lines.indexOf(lineFeed, at + 1)) count++
  return count
}
