import { S3Client } from '@aws-sdk/client-s3'
import { clientLimits } from '../../functions/runtime/client-limits.ts'
import { openObjects, type Wait } from '../objects.aws.ts'
import type { Latest, Manifest } from './manifest.ts'
import { latestKey, manifestKey, refusedKey, snapshotsPrefix } from './manifest.ts'

/** The snapshots, in one bucket. What readers rely on is written by conditional PUTs. */
export type SnapshotStore = ReturnType<typeof createSnapshotStore>

export function createSnapshotStore(bucket: string, client = new S3Client(clientLimits.bucket), wait?: Wait) {
  const objects = openObjects(bucket, client, wait)

  const readLatest = (entity: string) =>
    objects.readJson<Latest>(latestKey(entity), 'runId', 'manifest', 'publishedAt', 'documents')
  const read = async (key: string) => (await objects.readManifest<Manifest>(key))?.value
  const readManifest = (entity: string, runId: string) => read(manifestKey(entity, runId))

  return {
    readManifest,

    /** Whether a run has a manifest, which can be large. */
    hasManifest: (entity: string, runId: string) => objects.exists(manifestKey(entity, runId)),

    /** Stores a page's object. S3 verifies its hash. `sha256` is the raw digest. */
    putPage: (key: string, body: Buffer, sha256: Buffer) => objects.putGzip(key, body, sha256),

    /** The manifest that a refused run would have had; undefined if its snapshot was not refused or is gone. */
    readRefused: (entity: string, runId: string) => read(refusedKey(entity, runId)),

    readPage: (key: string) => objects.readBytes(key),

    readLatest,

    listKeys: (prefix: string) => objects.listKeys(prefix),
    listObjects: (prefix: string) => objects.listObjects(prefix),

    listFolders: (prefix: string) => Array.fromAsync(objects.listFolders(prefix)),

    /** The runs that have objects, oldest first. */
    listRuns: (entity: string) => objects.listFolders(snapshotsPrefix(entity)),
    deleteKeys: (keys: readonly string[]) => objects.deleteKeys(keys),
  }
}
