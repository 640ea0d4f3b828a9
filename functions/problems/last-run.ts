import { inUse, isSnapshotLease } from '../../stored/lease.ts'
import { countedEnds, lastEnded } from '../../stored/run/last-ended.ts'
import { type EndedRun, hasEnded, type UnpublishedRun } from '../../stored/run/run.ts'
import { hourMs } from '../runtime/durations.ts'
import type { EntityFacts } from './facts.ts'

/** How the runs of an entity ended that came last: what its other problems depend on. */
export type LastRun =
  | {
      readonly kind: 'refused' | 'rejected' | 'away' | 'failed'
      readonly run: UnpublishedRun
      readonly since: string
      readonly count: number
    }
  /** It published, or none has ended. */
  | { readonly kind: 'fine' }

/** Whether a run is read that counts. Others may have ended since, and its item expires. */
export const isEndKnown = ({ runs }: Pick<EntityFacts, 'runs'>): boolean => lastEnded(runs) !== undefined

export function lastRunOf({ runs, state }: Pick<EntityFacts, 'runs' | 'state'>): LastRun {
  const ended = countedEnds(runs)
  const [last] = ended
  if (!last || last.status === 'published') return { kind: 'fine' }
  const kind = kindOf(last)
  const isSame = (run: EndedRun) => run.status === last.status && (kind !== 'rejected' || wasRejected(run))
  const end = ended.findIndex((run) => !isSame(run))
  const streak = ended.slice(0, end < 0 ? ended.length : end)
  const stored = {
    refused: state.refusedSince,
    failed: state.failedSince,
    skipped: undefined,
    cancelled: undefined,
  }[last.status]
  const oldest = streak.at(-1)?.endedAt ?? last.endedAt
  // What is stored may be from before the last publication, or of a failure for another reason.
  const isCurrent =
    stored !== undefined && stored > (state.latest?.publishedAt ?? '') && ended[end]?.status !== last.status
  const since = isCurrent && stored < oldest ? stored : oldest
  // The first failure may be older than the runs that were read.
  const count = Math.max(streak.length, since < oldest ? streak.length + 1 : 0)
  return { kind, run: last, since, count }
}

function kindOf(run: UnpublishedRun): 'refused' | 'rejected' | 'away' | 'failed' {
  if (run.status === 'refused') return 'refused'
  if (run.cause === 'platform-away') return 'away'
  return wasRejected(run) ? 'rejected' : 'failed'
}

type Rejectable = Pick<UnpublishedRun, 'documents' | 'faults' | 'cause'>

/** Whether a failed run had credentials that the platform does not accept. */
export const wasRejected = (run: Rejectable): boolean => run.cause === 'credentials' || rejections(run) > 0

/** How often the platform rejected the credentials. A run with documents had valid ones. */
export const rejections = ({ documents, faults }: Rejectable): number =>
  documents > 0 ? 0 : (faults['401'] ?? 0) + (faults['403'] ?? 0)

/** Whether a run that may publish is in progress. Its item may not be stored yet. */
export function isRunning({ runs, state, now }: Pick<EntityFacts, 'runs' | 'state' | 'now'>): boolean {
  const { lease } = state
  if (!isSnapshotLease(lease)) return false
  const run = runs.find(({ runId }) => runId === lease.runId)
  // The execution of a run whose lease expired so long ago is gone. Until then, it may start another worker.
  return run ? !hasEnded(run) && inUse(lease, now - 2 * hourMs) : inUse(lease, now)
}
