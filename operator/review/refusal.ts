import { formatAge } from '../../functions/runtime/format.ts'
import { partsOver, type StatePart } from '../../stored/chain/state-parts.ts'
import { comparedSnapshotRun } from '../../stored/changes/chain-facts.ts'
import type { ChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import type { ChangePart } from '../../stored/changes/changes.ts'
import type { Manifest } from '../../stored/snapshots/manifest.ts'
import type { SnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import type { RunView } from '../../stored/views.ts'
import { readWaitingRefusal } from '../changes/waiting-refusal.ts'

/** What a guard refused: a snapshot, or the change set from the tip to it. */
export interface ReviewedRefusal {
  readonly guard: 'snapshot' | 'changes'
  readonly entity: string
  readonly runId: string
  readonly reason: string
  /** When the comparison refused a change set, which another comparison may refuse again; undefined of a snapshot. */
  readonly refusedAt: string | undefined
  /** The snapshot that readers have; undefined before the first publication. */
  readonly before: Manifest | undefined
  /** What readers have over that snapshot. */
  readonly over: readonly StatePart[]
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
  const of = { entity, runId }
  if (status === 'refused') {
    const [after, latest] = await Promise.all([
      snapshots.readRefused(entity, runId),
      snapshots.readLatest(entity),
    ])
    const before = latest && (await snapshots.readManifest(entity, latest.value.runId))
    return (
      after && {
        ...of,
        guard: 'snapshot',
        reason: reason ?? '',
        refusedAt: undefined,
        before,
        over: [],
        deleted: undefined,
        after,
      }
    )
  }
  const refused = await readWaitingRefusal(changes, entity, runId)
  if (!refused) return undefined
  const [before, set, after] = await Promise.all([
    snapshots.readManifest(entity, comparedSnapshotRun(refused)),
    changes.readManifest(entity, refused.base),
    snapshots.readManifest(entity, runId),
  ])
  const over = set ? partsOver(set.value) : []
  const { reason: why, refusedAt, reviewedParts: deleted } = refused
  return after && { ...of, guard: 'changes', reason: why, refusedAt, before, over, deleted, after }
}

/** Why there is nothing to review or accept in a run: who has decided already, or that nobody needs to. */
export async function nothingRefused(
  { changes }: { readonly changes: Pick<ChangeSetStore, 'readManifest'> },
  { entity, runId, status, by, endedAt }: Pick<RunView, 'entity' | 'runId' | 'status' | 'by' | 'endedAt'>,
  now: number,
): Promise<string> {
  if (status === 'refused')
    return `The refused snapshot of run ${runId} is gone. Refused snapshots are kept until a newer run publishes. A later refusal keeps only the newest seven of the last 30 days.`
  if (by !== null) {
    const since =
      endedAt === null ? 'which is being published' : `which was published ${formatAge(endedAt, now)}`
    return `${by} accepted the snapshot of run ${runId} of ${entity}, ${since}.`
  }
  const acceptedBy = (await changes.readManifest(entity, runId))?.value.by
  if (acceptedBy !== undefined) return `${acceptedBy} accepted the change set of run ${runId} of ${entity}.`
  return `Run ${runId} of ${entity} needs no decision: its status is ${status}, and no refused change set of it waits for one.`
}
