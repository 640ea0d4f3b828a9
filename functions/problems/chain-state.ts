import { chainSnapshotRun, comparedSnapshotRun } from '../../stored/changes/chain-facts.ts'
import type { ChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import type { RefusedChanges } from '../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../stored/changes/changes-latest.ts'
import type { RecordedFailure, UnpublishedComparison } from '../../stored/changes/unpublished-comparison.ts'
import { currentFailure, nextBase } from '../../stored/changes/unpublished-comparison.ts'
import type { Latest } from '../../stored/snapshots/manifest.ts'
import { formatCount, formatDocuments, formatMinute, plural } from '../runtime/format.ts'
import type { ProblemStep } from './problem.ts'

/** Whether the change sets of an entity lead to its published snapshot. */
export type ChainState =
  /** `none`: nothing to compare yet. `pending`: a comparison is expected. `current`: they do. */
  | { readonly kind: 'off' | 'none' | 'current' | 'pending' }
  /** Readers that begin receive 410 until the next full set. */
  | { readonly kind: 'erased'; readonly reason: string }
  | StoppedChain

/** The published snapshot of the run `runId` has no change set. */
export type StoppedChain = {
  readonly runId: string
  /** The run of the last full change set, which increments may have followed; null if there is none. */
  readonly tip: string | null
  /** ISO 8601. */
  readonly since: string
} & (
  | { readonly kind: 'refused'; readonly deleted: number; readonly baseDocuments: number }
  /** `failures`: those that are recorded; 0 if only the change set is missing. `reason`: of the last one. */
  | {
      readonly kind: 'failed'
      readonly failures: number
      readonly reason: string | undefined
      /** Of the last one. The next comparison also fails for what is damaged or too large. */
      readonly cause: RecordedFailure['cause']
    }
)

interface Published {
  readonly snapshot: Pick<Latest, 'runId' | 'publishedAt'> | null
  readonly chain: ChangesLatest | undefined
  /** What the comparison of the published run refused. */
  readonly refused: RefusedChanges | undefined
  readonly unpublished: UnpublishedComparison | undefined
  readonly now: number
}

/** A comparison takes no longer than a Lambda function. */
export const maxComparisonMs = 15 * 60_000

/** Whether a comparison of the published snapshot may be in progress. */
export const mayBeCompared = ({ publishedAt }: Pick<Latest, 'publishedAt'>, now: number): boolean =>
  now - Date.parse(publishedAt) < maxComparisonMs

function chainStateOf({ snapshot, chain, refused, unpublished, now }: Published): ChainState {
  if (!snapshot) return { kind: 'none' }
  const { runId, publishedAt } = snapshot
  const tip = chain ? chainSnapshotRun(chain) : null
  const erased = chain?.erased && ({ kind: 'erased', reason: chain.reset ?? '' } as const)
  if (tip !== null && tip >= runId) return erased ?? { kind: 'current' }
  const base = nextBase(chain)
  if (base !== null && refused?.runId === runId && comparedSnapshotRun(refused) === base) {
    const { refusedAt: since, deleted, baseDocuments } = refused
    return { kind: 'refused', runId, tip, since, deleted, baseDocuments }
  }
  const recorded = currentFailure(unpublished, chain)
  if (recorded) {
    const { since, count, reason, cause } = recorded
    return { kind: 'failed', runId, tip, since, failures: count, reason, cause }
  }
  const failures = base === null ? null : chain?.failures
  if (failures && failures.last >= publishedAt) {
    // 1.0.0 recorded no cause.
    const { first: since, count, reason, kind: cause = 'too-large' } = failures
    return { kind: 'failed', runId, tip, since, failures: count, reason, cause }
  }
  if (unpublished?.kind === 'off' && unpublished.runId === runId) return { kind: 'none' }
  // A chain that was reset starts again with the next comparison.
  if (chain?.reset || mayBeCompared(snapshot, now)) return erased ?? { kind: 'pending' }
  return { kind: 'failed', runId, tip, since: publishedAt, failures: 0, reason: undefined, cause: 'other' }
}

/** Reads the change sets of an entity that has a snapshot. Why there is none is read only if it matters. */
export async function readChainState(
  store: Pick<ChangeSetStore, 'readRefused' | 'readUnpublished'>,
  entity: string,
  { snapshot, chain, now }: Omit<Published, 'refused' | 'unpublished'>,
): Promise<ChainState> {
  const isBehind = snapshot && (!chain || chainSnapshotRun(chain) < snapshot.runId)
  const [refused, unpublished] = isBehind
    ? await Promise.all([chain && store.readRefused(entity, snapshot.runId), store.readUnpublished(entity)])
    : []
  return chainStateOf({ snapshot, chain, refused, unpublished, now })
}

export const isStopped = (state: ChainState): state is StoppedChain =>
  state.kind === 'refused' || state.kind === 'failed'

/** Why the change sets do not lead to the published snapshot. */
export function stoppedText(stopped: StoppedChain): string {
  const { runId, tip } = stopped
  const end = tip === null ? 'There is no change set yet.' : `The change sets stop at run ${tip}.`
  if (stopped.kind === 'refused') {
    const { deleted, baseDocuments } = stopped
    return `The change set of run ${runId} was refused: it deletes ${formatCount(deleted)} of ${formatDocuments(baseDocuments)}. ${end}`
  }
  const { failures, since, reason } = stopped
  const last = reason === undefined ? '' : ` (${reason.replace(/\.$/, '')})`
  const failed =
    failures > 0 ? `: comparisons failed ${plural(failures, 'time')} since ${formatMinute(since)}${last}` : ''
  return `Run ${runId} is published without a change set${failed}. ${end}`
}

/** Comparisons from the same set have failed again for a reason that lasts: another one would not help. */
export const mustStartAgain = (stopped: StoppedChain): boolean =>
  stopped.kind === 'failed' && stopped.cause !== 'other' && stopped.failures > 1 && stopped.tip !== null

/** What resolves it. A sync compares again. */
export function stoppedStep(entity: string, stopped: StoppedChain): ProblemStep {
  if (stopped.kind === 'refused') return { kind: 'review', runId: stopped.runId }
  // A repair loses nothing.
  if (stopped.cause === 'damaged') return { kind: 'verify-repair', entity }
  if (stopped.cause === 'too-large' && stopped.tip === null) return { kind: 'sync-afterwards', entity }
  return { kind: mustStartAgain(stopped) ? 'reset-changes' : 'sync', entity }
}
