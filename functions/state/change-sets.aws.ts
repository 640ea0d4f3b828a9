import type { S3Client } from '@aws-sdk/client-s3'
import {
  type ChangesLatest,
  changesLatestKey,
  changesPrefix,
  changesTableKey,
  type SetManifest,
  setManifestKey,
} from './changes.ts'
import { type Expected, openObjects } from './objects.aws.ts'

/** The change sets, in the bucket of the snapshots. */
export type ChangeSetStore = ReturnType<typeof createChangeSetStore>

export function createChangeSetStore(bucket: string, client?: S3Client) {
  const objects = openObjects(bucket, client)
  const address = `s3://${bucket}/`
  return {
    readLatest: (entity: string) => objects.readJson<ChangesLatest>(changesLatestKey(entity)),

    /** Writes `latest.json` if it is as expected. False if it is not. */
    writeLatest: (entity: string, latest: ChangesLatest, expected: Expected) =>
      objects.putJson(changesLatestKey(entity), latest, expected),

    readManifest: (entity: string, runId: string) =>
      objects.readJson<SetManifest>(setManifestKey(entity, runId)),

    /** Writes a set's manifest if the stored one is as expected. False if it is not. */
    writeManifest: (manifest: SetManifest, expected: Expected) =>
      objects.putJson(setManifestKey(manifest.entity, manifest.runId), manifest, expected),

    readObject: (key: string) => objects.readBytes(key),
    writePart: (key: string, body: Buffer, sha256: string) => objects.putGzip(key, body, sha256),
    /** The keys of the parts that the entity's Athena table lists. */
    async readTable(entity: string): Promise<string[]> {
      const bytes = (await objects.readBytes(changesTableKey(entity))) ?? new Uint8Array()
      const lines = Buffer.from(bytes).toString().split('\n').slice(0, -1)
      return lines.map((line) => line.slice(address.length))
    },

    writeTable: (entity: string, keys: readonly string[]) =>
      objects.putText(changesTableKey(entity), keys.map((key) => `${address}${key}\n`).join('')),

    listKeys: (entity: string) => objects.listKeys(changesPrefix(entity)),
    listObjects: (prefix: string) => objects.listKeys(prefix),
    deleteKeys: (keys: readonly string[]) => objects.deleteKeys(keys),
  }
}
