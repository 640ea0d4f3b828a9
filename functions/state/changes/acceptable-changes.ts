import { hasAllPages, type Unacceptable, unacceptable } from '../snapshots/acceptable.ts'
import type { Latest } from '../snapshots/manifest.ts'
import type { SnapshotStore } from '../snapshots/snapshots.aws.ts'
import type { ChangeSetStore } from './change-sets.aws.ts'
import { comparedSnapshotRun, type RefusedChanges } from './changes.ts'
import { type ChangesLatest, chainSnapshotRun } from './changes-latest.ts'

export type AcceptableChanges =
  | { readonly kind: 'acceptable'; readonly refused: RefusedChanges }
  | Unacceptable

/** The run whose comparison was refused, and what is published now. */
export interface ComparisonToAccept {
  readonly entity: string
  readonly runId: string
  readonly latest: Latest | undefined
  readonly chain: ChangesLatest | undefined
}

/** Whether the change set that the comparison of a run refused can still be published, exactly as it was reviewed. */
export async function readAcceptableChanges(
  stores: {
    readonly snapshots: Pick<SnapshotStore, 'readManifest' | 'listKeys'>
    readonly changes: Pick<ChangeSetStore, 'readRefused'>
  },
  { entity, runId, latest, chain }: ComparisonToAccept,
): Promise<AcceptableChanges> {
  if (latest && latest.runId > runId)
    return unacceptable(
      `The newer run ${latest.runId} has published. If its comparison refused a change set, accept that one.`,
    )
  const refused = await stores.changes.readRefused(entity, runId)
  if (!refused || !chain || latest?.runId !== runId)
    return unacceptable(`Nothing was refused in the comparison of run ${runId}.`)
  if (refused.kind === 'changes' && !refused.reviewedParts)
    return unacceptable(
      `The refusal of run ${runId} does not record which documents the set deletes: an older release wrote it. Start a new sync.`,
    )
  // Increments have moved the tip, but not the snapshot that was compared.
  const chainSnapshot = chainSnapshotRun(chain)
  if (chainSnapshot !== comparedSnapshotRun(refused))
    return unacceptable(
      `The tip has moved from run ${refused.base} to run ${chain.tip} since the comparison.`,
    )
  const base = await stores.snapshots.readManifest(entity, chainSnapshot)
  if (!base || !(await hasAllPages(stores.snapshots, base)))
    return unacceptable(
      `The tip's snapshot is gone, so nothing can be compared with it. Start a new sync, which resets the chain.`,
    )
  return { kind: 'acceptable', refused }
}
