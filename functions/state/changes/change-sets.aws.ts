import { hash } from 'node:crypto'
import type { S3Client } from '@aws-sdk/client-s3'
import { type Expected, jsonText, openObjects, type Stored, type Wait } from '../objects.aws.ts'
import { absentIfUnreadable } from '../unreadable-object.ts'
import {
  changesLatestKey,
  changesPrefix,
  changesTableKey,
  type PartKind,
  partKey,
  refusedChangesKey,
  setManifestKey,
  unpublishedKey,
} from './change-keys.ts'
import type { RefusedChanges, SetManifest } from './changes.ts'
import type { ChangesLatest } from './changes-latest.ts'
import type { UnpublishedComparison } from './unpublished-comparison.ts'

/** The change sets, in the bucket of the snapshots. */
export type ChangeSetStore = ReturnType<typeof createChangeSetStore>

export function createChangeSetStore(bucket: string, client?: S3Client, wait?: Wait) {
  const objects = openObjects(bucket, client, wait)
  const address = `s3://${bucket}/`
  return {
    readLatest: (entity: string) => objects.readJson<ChangesLatest>(changesLatestKey(entity), 'tip', 'sets'),

    /** Writes `latest.json` if it is as expected. False if it is not. */
    writeLatest: (entity: string, latest: ChangesLatest, expected: Expected) =>
      objects.putIf(changesLatestKey(entity), expected, jsonText(latest)),

    readManifest: (entity: string, runId: string) =>
      objects.readManifest<SetManifest>(setManifestKey(entity, runId)),

    /** Writes a set's manifest if the stored one is as expected. Returns its SHA-256 (hex); undefined if it is not. */
    writeManifest: async (manifest: SetManifest, expected: Expected): Promise<string | undefined> => {
      const content = jsonText(manifest)
      const key = setManifestKey(manifest.entity, manifest.runId)
      return (await objects.putIf(key, expected, content)) ? hash('sha256', content.text) : undefined
    },

    /** The change set that the guard refused in the comparison of this run; undefined if it refused none. */
    readRefused: async (entity: string, runId: string) =>
      (await objects.readManifest<RefusedChanges>(refusedChangesKey(entity, runId)))?.value,

    /** Replaces what is recorded of an earlier comparison of the run. */
    writeRefused: (refused: RefusedChanges) =>
      objects.put(refusedChangesKey(refused.entity, refused.runId), jsonText(refused)),

    /** The next comparison replaces an object that cannot be read. */
    readUnpublished: async (entity: string) =>
      (
        await objects
          .readJson<UnpublishedComparison>(unpublishedKey(entity), 'kind')
          .catch(absentIfUnreadable)
      )?.value,
    writeUnpublished: (entity: string, unpublished: UnpublishedComparison) =>
      objects.put(unpublishedKey(entity), jsonText(unpublished)),

    readObject: (key: string) => objects.readBytes(key),
    /** Stores a part of a set under a name made of its hash (hex). Returns its key. */
    async writePart(
      set: { readonly entity: string; readonly runId: string; readonly kind: PartKind },
      body: Buffer,
      sha256: string,
    ): Promise<string> {
      const key = partKey(set, set.kind, sha256)
      // Written again by each comparison, so that erasure takes no part for one that an old comparison left.
      await objects.replaceGzip(key, body, Buffer.from(sha256, 'hex'))
      return key
    },

    /** The keys of the parts that the entity's Athena table lists. */
    async readTable(entity: string): Promise<Stored<string[]> | undefined> {
      const table = await objects.readText(changesTableKey(entity))
      const keys = table?.value.split('\n').slice(0, -1) ?? []
      return table && { ...table, value: keys.map((line) => line.slice(address.length)) }
    },

    /** Writes the list if the stored one is as expected. False if it is not. */
    writeTable: (entity: string, keys: readonly string[], expected: Expected) =>
      objects.putIf(changesTableKey(entity), expected, {
        text: keys.map((key) => `${address}${key}\n`).join(''),
        type: 'text/plain',
      }),

    listKeys: (entity: string) => objects.listKeys(changesPrefix(entity)),
    deleteKeys: (keys: readonly string[]) => objects.deleteKeys(keys),
  }
}
