import type { ChangeSetStore } from '../../functions/state/changes/change-sets.aws.ts'
import {
  type ChangePart,
  comparedSnapshotRun,
  incrementPartsOf,
} from '../../functions/state/changes/changes.ts'
import type { Manifest } from '../../functions/state/snapshots/manifest.ts'
import type { SnapshotStore } from '../../functions/state/snapshots/snapshots.aws.ts'
import type { RunView } from '../../functions/sync-api/views.ts'
import { readWaitingRefusal } from '../changes/waiting-refusal.ts'

/** What a guard refused: a snapshot, or the change set from the tip to it. */
export interface ReviewedRefusal {
  readonly guard: 'snapshot' | 'changes'
  readonly entity: string
  readonly runId: string
  readonly reason: string
  /** The snapshot that readers have; undefined before the first publication. */
  readonly before: Manifest | undefined
  /** Documents that readers have although that snapshot lacks them. A change set deletes them too. */
  readonly withheld: readonly ChangePart[]
  /** The records of increments since that snapshot, which readers have applied after those. */
  readonly increments: readonly ChangePart[]
  /** The documents that would be deleted; undefined if it is every one that the refused snapshot lacks. */
  readonly deleted: readonly ChangePart[] | undefined
  readonly after: Manifest
}

export interface RefusalStores {
  readonly snapshots: Pick<SnapshotStore, 'readLatest' | 'readManifest' | 'readRefused'>
  readonly changes: Pick<ChangeSetStore, 'readLatest' | 'readManifest' | 'readRefused'>
}

/** Undefined if nothing was refused in the run, or if what was refused is gone or has been published since. */
export async function findRefusal(
  { snapshots, changes }: RefusalStores,
  { entity, runId, status, reason }: Pick<RunView, 'entity' | 'runId' | 'status' | 'reason'>,
): Promise<ReviewedRefusal | undefined> {
  if (status === 'refused') {
    const [after, latest] = await Promise.all([
      snapshots.readRefused(entity, runId),
      snapshots.readLatest(entity),
    ])
    const before = latest && (await snapshots.readManifest(entity, latest.value.runId))
    const nothingElse = { withheld: [], increments: [], deleted: undefined }
    return after && { guard: 'snapshot', entity, runId, reason: reason ?? '', before, ...nothingElse, after }
  }
  const refused = await readWaitingRefusal(changes, entity, runId)
  if (!refused) return undefined
  const [before, set, after] = await Promise.all([
    snapshots.readManifest(entity, comparedSnapshotRun(refused)),
    changes.readManifest(entity, refused.base),
    snapshots.readManifest(entity, runId),
  ])
  const withheld = set?.value.withheldParts ?? []
  const increments = set ? incrementPartsOf(set.value) : []
  if (!after) return undefined
  return {
    guard: 'changes',
    entity,
    runId,
    reason: refused.reason,
    before,
    withheld,
    increments,
    deleted: refused.reviewedParts,
    after,
  }
}
