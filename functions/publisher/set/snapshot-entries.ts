import { belongsTo, isCheck, type Manifest, runPrefix } from '../../../stored/snapshots/manifest.ts'
import { checkKey, listedName } from '../check/entries.ts'
import { checkChunks, isUnchanged, readChunk, type StoredChunk } from '../chunks.ts'
import type { Checker, ListedObject } from '../ports.ts'

const maxEntriesInMemory = 64 * 2 ** 20

/**
 * The chunks with the entries of a snapshot, which its check has stored. Where its pages are not those that were checked, or
 * an older release published them, they are checked now. Throws `Damaged`, and `Unfinished` when the time is up.
 */
export async function snapshotChunks(
  publisher: Checker,
  manifest: Manifest,
): Promise<readonly StoredChunk[]> {
  const { entity, runId, idField, pages } = manifest
  const prefix = runPrefix(entity, runId)
  const stored = new Map<string, ListedObject>()
  for await (const object of publisher.objects.list(prefix)) stored.set(object.key, object)
  return (
    (await storedChunks(publisher, manifest, stored)) ??
    checkChunks(publisher, {
      keyOf: (first) => checkKey(prefix, listedName, first),
      pages: pages.map((page) => ({ page, received: undefined })),
      idField,
      stored,
    })
  )
}

/** Undefined unless these chunks have every page, as it is now, in the order of the manifest. */
async function storedChunks(
  publisher: Checker,
  manifest: Manifest,
  stored: ReadonlyMap<string, ListedObject>,
): Promise<readonly StoredChunk[] | undefined> {
  const placeOf = new Map(manifest.pages.map(({ key }, place) => [key, place]))
  const isOfManifest = belongsTo(manifest)
  const found: (StoredChunk & { readonly place: number })[] = []
  let inMemory = 0
  for (const key of stored.keys()) {
    const chunk =
      isCheck(key) && key.endsWith('.bin') && isOfManifest(key) ? await readChunk(publisher, key) : undefined
    const listed = chunk?.pages.filter(({ page }) => placeOf.has(page.key)) ?? []
    const [first] = listed
    if (!chunk || !first) continue
    const current = listed.every((checked) => {
      const { key } = checked.page
      const page = manifest.pages[placeOf.get(key) ?? 0]
      return page !== undefined && isUnchanged(checked, page, stored.get(key))
    })
    if (!current) return undefined
    inMemory += chunk.entries.length
    found.push({
      key,
      pages: chunk.pages,
      entries: inMemory > maxEntriesInMemory ? undefined : chunk.entries,
      place: placeOf.get(first.page.key) ?? 0,
    })
  }
  const chunks = found.toSorted((one, other) => one.place - other.place)
  const keys = chunks.flatMap(({ pages }) =>
    pages.flatMap(({ page }) => (placeOf.has(page.key) ? page.key : [])),
  )
  const isWhole =
    keys.length === placeOf.size && keys.every((key, index) => key === manifest.pages[index]?.key)
  return isWhole ? chunks : undefined
}
