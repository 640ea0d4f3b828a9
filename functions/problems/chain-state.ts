import { formatCount, formatDocuments, formatMinute, plural } from '../runtime/format.ts'
import type { ChangeSetStore } from '../state/changes/change-sets.aws.ts'
import { comparedSnapshotRun, type RefusedChanges } from '../state/changes/changes.ts'
import { type ChangesLatest, chainSnapshotRun } from '../state/changes/changes-latest.ts'
import type { Latest } from '../state/snapshots/manifest.ts'
import type { Step } from './steps.ts'

/** Whether the change sets of an entity lead to its published snapshot. */
export type ChainState =
  /** `none`: nothing to compare yet. `pending`: a comparison is expected. `current`: they do. */
  { readonly kind: 'off' | 'none' | 'current' | 'pending' } | StoppedChain

/** The published snapshot of the run `runId` has no change set. */
export type StoppedChain = {
  readonly runId: string
  /** The run of the last full change set. Increments may have followed it. */
  readonly tip: string
  /** ISO 8601. */
  readonly since: string
} & (
  | { readonly kind: 'refused'; readonly deleted: number; readonly baseDocuments: number }
  /** `failures`: recorded for a reason that lasts; 0 if only the change set is missing. `reason`: of the last one. */
  | {
      readonly kind: 'failed'
      readonly failures: number
      readonly reason: string | undefined
      /** Whether the last one failed because an object was damaged or missing. */
      readonly isDamaged: boolean
    }
)

interface Published {
  readonly snapshot: Pick<Latest, 'runId' | 'publishedAt'> | null
  readonly chain: ChangesLatest | undefined
  /** What the comparison of the published run refused. */
  readonly refused: RefusedChanges | undefined
  readonly now: number
}

/** A comparison takes no longer than a Lambda function. */
export const maxComparisonMs = 15 * 60_000

function chainStateOf({ snapshot, chain, refused, now }: Published): ChainState {
  if (!snapshot || !chain) return { kind: 'none' }
  const { runId, publishedAt } = snapshot
  const { reset, failures } = chain
  const tip = chainSnapshotRun(chain)
  if (tip >= runId) return { kind: 'current' }
  // The next comparison starts the chain again.
  if (reset !== null) return { kind: 'pending' }
  if (refused?.runId === runId && comparedSnapshotRun(refused) === tip) {
    const { refusedAt: since, deleted, baseDocuments } = refused
    return { kind: 'refused', runId, tip, since, deleted, baseDocuments }
  }
  if (failures && failures.last >= publishedAt) {
    const { first: since, count, reason } = failures
    const isDamaged = failures.kind === 'damaged'
    return { kind: 'failed', runId, tip, since, failures: count, reason, isDamaged }
  }
  if (now - Date.parse(publishedAt) < maxComparisonMs) return { kind: 'pending' }
  return { kind: 'failed', runId, tip, since: publishedAt, failures: 0, reason: undefined, isDamaged: false }
}

type ReadChain = Pick<ChangeSetStore, 'readLatest' | 'readRefused'>

/** Reads the change sets of an entity that has a snapshot. What was refused is read only if it matters. */
export async function readChainState(
  store: Pick<ReadChain, 'readRefused'>,
  entity: string,
  { snapshot, chain, now }: Omit<Published, 'refused'>,
): Promise<ChainState> {
  const isBehind = snapshot && chain && chainSnapshotRun(chain) < snapshot.runId
  const refused = isBehind ? await store.readRefused(entity, snapshot.runId) : undefined
  return chainStateOf({ snapshot, chain, refused, now })
}

export const isStopped = (state: ChainState): state is StoppedChain =>
  state.kind === 'refused' || state.kind === 'failed'

/** Why the change sets do not lead to the published snapshot. */
export function stoppedText(stopped: StoppedChain): string {
  const { runId, tip } = stopped
  const end = `The change sets stop at run ${tip}.`
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
  stopped.kind === 'failed' && stopped.failures > 1

/** What resolves it. A sync compares again. */
export function stoppedStep(entity: string, stopped: StoppedChain): Step {
  if (stopped.kind === 'refused') return { kind: 'review', runId: stopped.runId }
  // A repair loses nothing.
  if (stopped.isDamaged) return { kind: 'verify-repair', entity }
  return { kind: mustStartAgain(stopped) ? 'reset-changes' : 'sync', entity }
}
