import { hash } from 'node:crypto'
import type { S3Client } from '@aws-sdk/client-s3'
import { dayMs } from '../../functions/runtime/durations.ts'
import { type Expected, jsonText, openObjects, type Stored, type Wait } from '../objects.aws.ts'
import { timeOfRunId } from '../run/run-id.ts'
import { absentIfUnreadable } from '../unreadable-object.ts'
import {
  changesLatestKey,
  changesPrefix,
  changesTableKey,
  keysIn,
  listOf,
  type PartKind,
  partKey,
  proposalKey,
  refusedChangesKey,
  type SetFolder,
  setManifestKey,
  unpublishedKey,
} from './change-keys.ts'
import type { RefusedChanges, SetManifest } from './changes.ts'
import type { ChangesLatest } from './changes-latest.ts'
import type { Proposal } from './proposal.ts'
import type { UnpublishedComparison } from './unpublished-comparison.ts'

const halfDayMs = dayMs / 2

/**
 * Parts and proposals are never replaced. Erasure deletes those that are in no chain after a day, so they have another
 * name half a day after the run.
 */
function nameOf({ runId }: SetFolder, sha256: string, now: number): string {
  const halfDays = Math.floor(now / halfDayMs) - Math.floor(timeOfRunId(runId) / halfDayMs)
  return sha256.slice(0, 32) + (halfDays > 0 ? `-${halfDays}` : '')
}

/** The change sets, in the bucket of the snapshots. */
export type ChangeSetStore = ReturnType<typeof createChangeSetStore>

export function createChangeSetStore(bucket: string, client?: S3Client, wait?: Wait) {
  const objects = openObjects(bucket, client, wait)
  return {
    readLatest: (entity: string) => objects.readJson<ChangesLatest>(changesLatestKey(entity), 'tip', 'sets'),

    /** Writes `latest.json` if it is as expected. False if it is not. */
    writeLatest: (entity: string, latest: ChangesLatest, expected: Expected) =>
      objects.putIf(changesLatestKey(entity), expected, jsonText(latest)),

    readManifest: (entity: string, runId: string) =>
      objects.readManifest<SetManifest>(setManifestKey(entity, runId)),

    /** Stores the manifest that a set would have. Returns its key. */
    writeProposal: async (proposal: Proposal, now: number): Promise<string> => {
      const { text } = jsonText(proposal)
      const key = proposalKey(proposal, nameOf(proposal, hash('sha256', text), now))
      if (!(await objects.putIf(key, 'absent', jsonText(proposal))))
        throw new Error(`The object ${key} is stored with other bytes.`)
      return key
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
      { kind, now, ...set }: SetFolder & { readonly kind: PartKind; readonly now: number },
      body: Buffer,
      sha256: string,
    ): Promise<string> {
      const key = partKey(set, kind, nameOf(set, sha256, now))
      await objects.putGzip(key, body, Buffer.from(sha256, 'hex'))
      return key
    },

    /** The keys of the parts that the entity's Athena table lists. */
    async readTable(entity: string): Promise<Stored<string[]> | undefined> {
      const table = await objects.readText(changesTableKey(entity))
      return table && { ...table, value: keysIn(bucket, table.value) }
    },

    /** Writes the list if the stored one is as expected. False if it is not. */
    writeTable: (entity: string, keys: readonly string[], expected: Expected) =>
      objects.putIf(changesTableKey(entity), expected, {
        text: listOf(bucket, keys),
        type: 'text/plain',
      }),

    listKeys: (entity: string) => objects.listKeys(changesPrefix(entity)),
    deleteKeys: (keys: readonly string[]) => objects.deleteKeys(keys),
  }
}
