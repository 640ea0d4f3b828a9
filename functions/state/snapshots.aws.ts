import {
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { clientLimits } from '../runtime/client-limits.ts'
import { type ChangesLatest, changesLatestKey } from './changes.ts'
import { type Latest, latestKey, type Manifest, manifestKey, tableKey, tableOf } from './manifest.ts'
import { openObjects } from './objects.aws.ts'

/** The snapshots, in one bucket. What readers rely on is written by conditional PUTs. */
export type SnapshotStore = ReturnType<typeof createSnapshotStore>

/** An object's content, and the tag that a conditional PUT compares. */
export interface Stored<T> {
  readonly value: T
  readonly etag: string
}

export function createSnapshotStore(bucket: string, client = new S3Client(clientLimits.bucket)) {
  const objects = openObjects(bucket, client)

  async function readText(key: string): Promise<{ text: string; etag: string } | undefined> {
    try {
      const { Body, ETag } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
      return { text: (await Body?.transformToString()) ?? '', etag: ETag ?? '' }
    } catch (error) {
      if (error instanceof NoSuchKey) return undefined
      throw error
    }
  }

  async function readJson<T>(key: string): Promise<Stored<T> | undefined> {
    const found = await readText(key)
    return found && { value: JSON.parse(found.text) as T, etag: found.etag }
  }

  const readLatest = (entity: string) => readJson<Latest>(latestKey(entity))
  const readManifest = async (entity: string, runId: string) =>
    (await readJson<Manifest>(manifestKey(entity, runId)))?.value

  return {
    readManifest,

    /** Stores a page's object. S3 verifies its hash. `sha256` is the raw digest. */
    async putPage(key: string, body: Buffer, sha256: Buffer): Promise<void> {
      await client.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: key,
          Body: body,
          // No Content-Encoding: readers get the bytes that the manifest's hash is of.
          ContentType: 'application/gzip',
          ChecksumSHA256: sha256.toString('base64'),
        }),
      )
    },

    /** Writes a manifest unless the run has one. Returns the one that is stored. */
    async putManifest(manifest: Manifest): Promise<Manifest> {
      const { entity, runId } = manifest
      const written = await succeeds(
        client.send(
          new PutObjectCommand({
            Bucket: bucket,
            Key: manifestKey(entity, runId),
            Body: JSON.stringify(manifest, null, 1),
            ContentType: 'application/json',
            IfNoneMatch: '*',
          }),
        ),
      )
      return (written ? undefined : await readManifest(entity, runId)) ?? manifest
    },

    readLatest,

    /** The run whose snapshot the next comparison starts from; undefined before the first change set. */
    async readTip(entity: string): Promise<string | undefined> {
      return (await readJson<ChangesLatest>(changesLatestKey(entity)))?.value.tip
    },

    /** Moves `latest.json` forward, never backwards. `read` is what it was. Returns what it is afterwards. */
    async moveLatest(entity: string, latest: Latest, read: Stored<Latest> | undefined): Promise<Latest> {
      for (let current = read; ; current = await readLatest(entity)) {
        if (current && current.value.runId >= latest.runId) return current.value
        const moved = await succeeds(
          client.send(
            new PutObjectCommand({
              Bucket: bucket,
              Key: latestKey(entity),
              Body: JSON.stringify(latest),
              ContentType: 'application/json',
              CacheControl: 'no-cache',
              ...(current ? { IfMatch: current.etag } : { IfNoneMatch: '*' }),
            }),
          ),
        )
        if (moved) return latest
      }
    },

    /** Lets the Athena table list the pages of the snapshot that `latest.json` names. `known` saves reading a manifest. */
    async moveTable(entity: string, known: Manifest): Promise<void> {
      for (;;) {
        // Read before latest.json: if latest.json moves after this, the conditional PUT below fails and is repeated.
        const listed = await readText(tableKey(entity))
        const latest = await readLatest(entity)
        const runId = latest?.value.runId ?? known.runId
        const manifest = runId === known.runId ? known : await readManifest(entity, runId)
        if (!manifest) throw new Error(`latest.json of ${entity} names run ${runId}, which has no manifest.`)
        const wanted = tableOf(bucket, manifest)
        if (listed?.text === wanted) return
        const moved = await succeeds(
          client.send(
            new PutObjectCommand({
              Bucket: bucket,
              Key: tableKey(entity),
              Body: Buffer.from(wanted), // The SDK sends an empty string without a Content-Length, which S3 requires.
              ContentType: 'text/plain',
              ...(listed ? { IfMatch: listed.etag } : { IfNoneMatch: '*' }),
            }),
          ),
        )
        if (moved) return
      }
    },

    listKeys: (prefix: string) => objects.listKeys(prefix),
    deleteKeys: (keys: readonly string[]) => objects.deleteKeys(keys),
  }
}

/** False if the condition of a PUT failed: another was faster (412) or is in progress (409). */
async function succeeds(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined
    if (status === 412 || status === 409) return false
    throw error
  }
}
