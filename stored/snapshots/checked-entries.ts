import { readAhead } from '../../functions/runtime/read-ahead.ts'
import type { ListedObject } from '../objects.aws.ts'
import { belongsTo, isCheck, type Manifest, type ManifestPage, runPrefix } from './manifest.ts'

/** An entry of a document: the first 16 bytes of the SHA-256 of its identity, and the first 8 of that of its bytes. */
export const idHashBytes = 16
export const entryBytes = 24

/** The entries of a page's documents, in order. */
export interface PageEntries {
  /** The position of the page in the manifest. */
  readonly index: number
  readonly entries: Buffer
}

export interface EntrySource {
  readonly listObjects: (prefix: string) => AsyncIterable<Pick<ListedObject, 'key' | 'etag'>>
  readonly readObject: (key: string) => Promise<Uint8Array | undefined>
  /** Called with what is wrong with an object that the publisher cannot have stored. It throws, or its pages are left out. */
  readonly damaged: (message: string) => void
}

/** Objects that are requested ahead of the one in use. One has 2.4 MB. */
const maxAhead = 4

/**
 * What the publisher has counted of a snapshot (docs/objects.md). Pages that were not counted are left out, and those that
 * are not stored as they were then.
 */
export async function* checkedEntries(
  { listObjects, readObject, damaged }: EntrySource,
  manifest: Manifest,
): AsyncGenerator<PageEntries> {
  const etags = new Map<string, string>()
  for await (const { key, etag } of listObjects(runPrefix(manifest.entity, manifest.runId)))
    etags.set(key, etag)
  const isOfManifest = belongsTo(manifest)
  const keys = [...etags.keys()].filter((key) => isCheck(key) && key.endsWith('.bin') && isOfManifest(key))
  const missing = new Map(manifest.pages.map((page, index) => [page.key, { ...page, index }]))
  const read = async (key: string) => ({ key, object: await readObject(key) })
  const fix = 'Restore it, or delete it so that the pages are read'
  for (const next of readAhead(keys, read, (ahead) => ahead.length < maxAhead)) {
    const { key, object } = await next
    const checked = object && decode(object)
    if (!checked) {
      damaged(`The object ${key} is damaged. ${fix}.`)
      continue
    }
    let end = 0
    for (const { page, etag } of checked.pages) {
      const start = end
      end += page.documents * entryBytes
      const listed = missing.get(page.key)
      if (!listed || etags.get(page.key) !== etag) continue
      if (listed.sha256 !== page.sha256 || listed.documents !== page.documents) {
        damaged(`The object ${key} has another hash or count of ${page.key} than its manifest. ${fix}.`)
        continue
      }
      missing.delete(page.key)
      yield { index: listed.index, entries: checked.entries.subarray(start, end) }
    }
  }
}

interface Checked {
  readonly pages: readonly { readonly page: ManifestPage; readonly etag: string }[]
  readonly entries: Buffer
}

/** A line of JSON, then the entries. Undefined if the object is not of this form. */
function decode(object: Uint8Array): Checked | undefined {
  const bytes = Buffer.from(object.buffer, object.byteOffset, object.byteLength)
  const end = bytes.indexOf('\n')
  try {
    const { version, pages } = JSON.parse(bytes.toString('utf8', 0, end)) as Pick<Checked, 'pages'> & {
      readonly version: number
    }
    const entries = bytes.subarray(end + 1)
    const documents = pages.reduce((sum, { page }) => sum + page.documents, 0)
    return version === 1 && entries.length === documents * entryBytes ? { pages, entries } : undefined
  } catch {
    return undefined
  }
}
