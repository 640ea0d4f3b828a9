import { hash } from 'node:crypto'
import { type ListedChanges, updateAthenaTable } from '../../stored/changes/athena-table.ts'
import { changesTableKey, keysIn, listOf, setManifestKey } from '../../stored/changes/change-keys.ts'
import type { SetManifest } from '../../stored/changes/changes.ts'
import type { Latest, Manifest } from '../../stored/snapshots/manifest.ts'
import { latestKey, manifestKey, tableKey, tableOf } from '../../stored/snapshots/manifest.ts'
import { Damaged } from './check/damage.ts'
import type { Publisher } from './ports.ts'
import { readChain, readLatest, readManifest, readVersioned } from './read-stored.ts'

type Moving = Pick<Publisher, 'objects' | 'now'>

/** Writes a manifest unless an older release has, and then stopped. Returns the SHA-256 (hex) of what is stored. */
export async function writeOnce(publisher: Moving, key: string, manifest: Manifest): Promise<string> {
  const body = JSON.stringify(manifest, null, 1)
  if (await publisher.objects.putIf(key, 'absent', { body, type: 'application/json' }))
    return hash('sha256', body)
  const found = await readVersioned<Manifest>(publisher, key)
  const stored = found?.value
  if (stored && pagesIn(stored) === pagesIn(manifest) && stored.uniqueIds === manifest.uniqueIds)
    return found.sha256
  throw new Damaged(
    `${key} lists ${stored?.pages.length ?? 0} pages with ${stored?.uniqueIds ?? 0} unique ids; ${manifest.pages.length} pages with ${manifest.uniqueIds} were checked.`,
  )
}

/** The pages without their ranges, which older releases did not write. */
const pagesIn = ({ pages }: Manifest) => JSON.stringify(pages.map(({ range: _range, ...page }) => page))

/** Moves `latest.json` forward, never backwards. Returns what it is afterwards. */
export async function moveLatest(
  publisher: Moving,
  { entity, runId, documents }: Pick<Manifest, 'entity' | 'runId' | 'documents'>,
  sha256: string,
): Promise<Latest> {
  const wanted = {
    runId,
    manifest: manifestKey(entity, runId),
    publishedAt: new Date(publisher.now()).toISOString(),
    documents,
    sha256,
  }
  const body = JSON.stringify(wanted)
  for (;;) {
    const current = await readLatest(publisher, entity)
    if (current && current.value.runId >= runId) return current.value
    const content = { body, type: 'application/json', cacheControl: 'no-cache' } as const
    if (await publisher.objects.putIf(latestKey(entity), current ?? 'absent', content)) return wanted
  }
}

/** Lets the Athena table list the pages of the snapshot that `latest.json` names. */
export async function moveTable(publisher: Moving, known: Manifest): Promise<void> {
  const { objects } = publisher
  const key = tableKey(known.entity)
  for (;;) {
    // Read before latest.json: if that moves after this, the conditional PUT below fails and is repeated.
    const listed = await objects.read(key)
    const latest = (await readLatest(publisher, known.entity))?.value
    const manifest =
      latest?.runId === known.runId ? known : latest && (await readManifest(publisher, latest.manifest))
    // Somebody deleted the published snapshot: until the next publication there is nothing to list.
    if (!manifest) return
    const body = tableOf(objects.name, manifest)
    if (listed?.bytes.toString() === body) return
    if (await objects.putIf(key, listed ?? 'absent', { body, type: 'text/plain' })) return
  }
}

/** Lets the Athena table of an entity's change sets list the parts of the sets in the chain. `known` may be one of them. */
export function listParts(publisher: Publisher, entity: string, known?: SetManifest): Promise<void> {
  const { objects, log } = publisher
  const key = changesTableKey(entity)
  const changes: ListedChanges = {
    readLatest: () => readChain(publisher, entity),
    readManifest: (_, runId) => readVersioned(publisher, setManifestKey(entity, runId)),
    async readTable() {
      const found = await objects.read(key)
      return found && { value: keysIn(objects.name, found.bytes.toString()), etag: found.etag }
    },
    writeTable: (_, keys, expected) =>
      objects.putIf(key, expected, { body: listOf(objects.name, keys), type: 'text/plain' }),
  }
  return updateAthenaTable({ changes, log }, entity, known)
}
