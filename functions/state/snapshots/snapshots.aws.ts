import { S3Client } from '@aws-sdk/client-s3'
import { clientLimits } from '../../runtime/client-limits.ts'
import { openObjects, type Stored, type Wait } from '../objects.aws.ts'
import {
  entityFolders,
  entityOfFolder,
  type Latest,
  latestKey,
  type Manifest,
  manifestKey,
  refusedKey,
  snapshotsPrefix,
  tableKey,
  tableOf,
} from './manifest.ts'

/** The snapshots, in one bucket. What readers rely on is written by conditional PUTs. */
export type SnapshotStore = ReturnType<typeof createSnapshotStore>

export function createSnapshotStore(bucket: string, client = new S3Client(clientLimits.bucket), wait?: Wait) {
  const objects = openObjects(bucket, client, wait)

  const readLatest = (entity: string) =>
    objects.readJson<Latest>(latestKey(entity), 'runId', 'manifest', 'publishedAt', 'documents')
  const read = async (key: string) => (await objects.readManifest<Manifest>(key))?.value
  const readManifest = (entity: string, runId: string) => read(manifestKey(entity, runId))

  /** Writes a manifest unless there is one. Returns the one that is stored. */
  async function writeOnce(key: string, manifest: Manifest): Promise<Manifest> {
    const text = JSON.stringify(manifest, null, 1)
    const written = await objects.putIf(key, 'absent', { text, type: 'application/json' })
    const stored = written ? manifest : await read(key)
    if (!stored) throw new Error(`The manifest ${key} was deleted while it was written.`)
    return stored
  }

  return {
    readManifest,

    /** Whether a run has a manifest, which can be large. */
    hasManifest: (entity: string, runId: string) => objects.exists(manifestKey(entity, runId)),

    /** Stores a page's object. S3 verifies its hash. `sha256` is the raw digest. */
    putPage: (key: string, body: Buffer, sha256: Buffer) => objects.putGzip(key, body, sha256),

    /** Writes the manifest of a run unless it has one. Returns the one that is stored. */
    putManifest: (manifest: Manifest) => writeOnce(manifestKey(manifest.entity, manifest.runId), manifest),

    /** The manifest that a refused run would have had; undefined if its snapshot was not refused or is gone. */
    readRefused: (entity: string, runId: string) => read(refusedKey(entity, runId)),

    /** Writes it unless the run has one. Returns the one that is stored. */
    putRefused: (manifest: Manifest) => writeOnce(refusedKey(manifest.entity, manifest.runId), manifest),

    readPage: (key: string) => objects.readBytes(key),

    readLatest,

    /** Moves `latest.json` forward, never backwards. `read` is what it was. Returns what it is afterwards. */
    async moveLatest(entity: string, latest: Latest, read: Stored<Latest> | undefined): Promise<Latest> {
      const text = JSON.stringify(latest)
      for (let current = read; ; current = await readLatest(entity)) {
        if (current && current.value.runId >= latest.runId) return current.value
        const moved = await objects.putIf(latestKey(entity), current ?? 'absent', {
          text,
          type: 'application/json',
          cacheControl: 'no-cache',
        })
        if (moved) return latest
      }
    },

    /** Lets the Athena table list the pages of the snapshot that `latest.json` names. `known` saves reading a manifest. */
    async moveTable(entity: string, known: Manifest): Promise<void> {
      for (;;) {
        // Read before latest.json: if latest.json moves after this, the conditional PUT below fails and is repeated.
        const listed = await objects.readText(tableKey(entity))
        const latest = await readLatest(entity)
        const runId = latest?.value.runId ?? known.runId
        const manifest = runId === known.runId ? known : await readManifest(entity, runId)
        // Somebody deleted the published snapshot: until the next publication there is nothing to list.
        if (!manifest) return
        const text = tableOf(bucket, manifest)
        if (listed?.value === text) return
        if (await objects.putIf(tableKey(entity), listed ?? 'absent', { text, type: 'text/plain' })) return
      }
    },

    listKeys: (prefix: string) => objects.listKeys(prefix),

    /** The entities that have objects, in the order of their names. */
    async listEntities(): Promise<string[]> {
      const names = await Promise.all(
        entityFolders.map((folder) => Array.fromAsync(objects.listFolders(folder))),
      )
      return [...new Set(names.flat().map(entityOfFolder))].toSorted()
    },

    /** The runs that have objects, oldest first. */
    listRuns: (entity: string) => objects.listFolders(snapshotsPrefix(entity)),
    deleteKeys: (keys: readonly string[]) => objects.deleteKeys(keys),
  }
}
