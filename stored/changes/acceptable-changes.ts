import { formatMinute } from '../../functions/runtime/format.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import type { SnapshotLease } from '../lease.ts'
import type { Acceptance, RefusedRun } from '../run/run.ts'
import { hasAllPages, type Unacceptable, unacceptable } from '../snapshots/acceptable.ts'
import type { Latest } from '../snapshots/manifest.ts'
import type { SnapshotStore } from '../snapshots/snapshots.aws.ts'
import { chainSnapshotRun, comparedSnapshotRun } from './chain-facts.ts'
import type { ChangeSetStore } from './change-sets.aws.ts'
import type { RefusedChanges } from './changes.ts'
import type { ChangesLatest } from './changes-latest.ts'

export type AcceptableChanges =
  | { readonly kind: 'acceptable'; readonly refused: RefusedChanges }
  | Unacceptable

/** The run whose comparison was refused, and what is published now. */
interface ComparisonToAccept {
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
  const isStored = async (snapshotRun: string) => {
    const manifest = await stores.snapshots.readManifest(entity, snapshotRun)
    return manifest !== undefined && (await hasAllPages(stores.snapshots, manifest))
  }
  if (!(await isStored(chainSnapshot)))
    return unacceptable(
      `The tip's snapshot is gone, so nothing can be compared with it. Start a new sync, which resets the chain.`,
    )
  if (!(await isStored(runId)))
    return unacceptable(`Pages of the snapshot of run ${runId} are gone. Start a new sync.`)
  return { kind: 'acceptable', refused }
}

/**
 * Why the change set of a refused snapshot cannot be accepted with it; undefined if it can. A review compares with the
 * published snapshot and a change set with the chain's, so only if both are the same does the review show the deletes.
 */
export async function whyNotWithChanges(
  stores: {
    readonly snapshots: Pick<SnapshotStore, 'readLatest'>
    readonly changes: Pick<ChangeSetStore, 'readLatest'>
  },
  { name, changes }: Pick<EntitySettings, 'name' | 'changes'>,
  { runId, accepted, endedAt }: Pick<RefusedRun, 'runId' | 'accepted' | 'endedAt'>,
): Promise<string | undefined> {
  const withoutIt = (reason: string) =>
    `${reason} Accept the snapshot of run ${runId} without its change set.`
  if (changes === false) return withoutIt('The entity has no change sets.')
  const [latest, chain] = await Promise.all([
    stores.snapshots.readLatest(name),
    stores.changes.readLatest(name),
  ])
  if (!latest || !chain) return withoutIt('The entity has no change set yet.')
  const published = latest.value
  const compared = chainSnapshotRun(chain.value)
  if (compared !== published.runId)
    return withoutIt(
      `The review compares with the snapshot of run ${published.runId}, and the change set would start from that of run ${compared}.`,
    )
  if (published.publishedAt > (accepted?.refusedAt ?? endedAt))
    return withoutIt(`The snapshot of run ${published.runId} was published after run ${runId} was refused.`)
  return undefined
}

/** Why a snapshot is not accepted with its change set after a person decided otherwise; undefined if nobody has. */
export function whyNotAnymore(
  runId: string,
  decided: Pick<SnapshotLease, 'withChanges'> | undefined,
): string | undefined {
  if (!decided || decided.withChanges) return undefined
  return `${acceptedText(runId, decided)} If its change set is refused, review and accept that.`
}

export function acceptedText(
  runId: string,
  decided: Pick<SnapshotLease, 'withChanges'> | Acceptance,
): string {
  const who = 'by' in decided ? ` by ${decided.by} at ${formatMinute(decided.acceptedAt)}` : ''
  return `The snapshot of run ${runId} was accepted ${decided.withChanges ? 'with' : 'without'} its change set${who}.`
}
