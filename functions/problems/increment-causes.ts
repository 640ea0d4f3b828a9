import type { LastIncrement, SkipCode } from '../../stored/entity-items.ts'
import { inUse, isSnapshotLease } from '../../stored/lease.ts'
import { type EndedRun, hasEnded } from '../../stored/run/run.ts'
import { timeOfRunId } from '../../stored/run/run-id.ts'
import { formatMinute, plural } from '../runtime/format.ts'
import type { EntityFacts } from './facts.ts'
import { isRunning, lastRunOf } from './last-run.ts'
import type { Found } from './problem.ts'
import { credentialsFix, type Fix, unreadableFix } from './run-fixes.ts'
import { isPaused, missedStart } from './schedule-problems.ts'

/** Why increments have not succeeded for long, and what resolves that. `evidence`: empty if nothing more is known. */
type Cause = Fix & Pick<Found, 'level' | 'evidence'>

/** What prevents that increments begin comes before how the last one ended. */
export function causeOfStale(facts: EntityFacts): Cause {
  return (
    fullSyncInProgress(facts) ??
    pausedSchedule(facts) ??
    incrementInProgress(facts) ??
    (isAway(facts) ? undefined : (nothingBegan(facts) ?? fullSyncEnded(facts))) ?? {
      level: 'problem',
      evidence: endingsText(facts),
      ...fixOfLast(facts, 'Start an increment, and check its result.'),
    }
  )
}

function fullSyncInProgress(facts: EntityFacts): Cause | undefined {
  const { lease } = facts.state
  if (!isRunning(facts) || !lease) return undefined
  const evidence = `The full sync ${lease.runId} has been in progress since ${minuteOf(timeOfRunId(lease.runId))}.`
  return { level: 'note', evidence, action: 'Wait: increments continue when it has ended.' }
}

/** The next increment is due, and none was before. */
function fullSyncEnded({ settings, runs, state }: EntityFacts): Cause | undefined {
  const [ended] = endedRuns(runs)
  const { last } = state.increments ?? {}
  if (!ended || (last && (last.status !== 'published' || last.endedAt > ended.endedAt))) return undefined
  return {
    level: 'note',
    evidence: `The full sync ${ended.runId} was in progress until ${formatMinute(ended.endedAt)}.`,
    action: 'The next increment covers the whole time. To have it now, start one.',
    step: { kind: 'increment', entity: settings.name },
  }
}

/** The pause is a note of its own. */
function pausedSchedule(facts: EntityFacts): Cause | undefined {
  const { name } = facts.settings
  if (!isPaused(facts, 'increment')) return undefined
  return {
    level: 'problem',
    evidence: `No increment starts while ${name} is paused.`,
    action: 'Resume it: the next increment covers the whole time.',
    step: { kind: 'resume', entity: name },
  }
}

function incrementInProgress({ state: { lease }, now }: EntityFacts): Cause | undefined {
  if (!inUse(lease, now) || isSnapshotLease(lease)) return undefined
  const evidence = `The increment ${lease.runId} is in progress.`
  return { level: 'problem', evidence, action: 'Wait until it has ended, and check its result.' }
}

function nothingBegan(facts: EntityFacts): Cause | undefined {
  const { settings, state, runs } = facts
  const { last } = state.increments ?? {}
  // While a full sync runs, or a scroll is open, none begins.
  const others = [
    ...(last ? [timeOfRunId(last.runId)] : []),
    ...endedRuns(runs).map(({ endedAt }) => Date.parse(endedAt)),
    ...(state.incrementScroll ? [state.incrementScroll.until] : []),
  ]
  const missed = missedStart(facts, 'increment', others)
  if (!missed) return undefined
  return {
    level: 'problem',
    evidence: `${endingsText(facts)} ${missed.evidence}`.trimStart(),
    action: `${missed.action} Then start an increment.`,
    step: { kind: 'increment', entity: settings.name },
  }
}

/** How the last increments ended; empty if the last one succeeded, or if there was none. */
export function endingsText({ state }: Pick<EntityFacts, 'state'>): string {
  const { last, failedSince, failures } = state.increments ?? {}
  if (last?.status !== 'failed' || failedSince === undefined || failedSince >= last.endedAt)
    return lastIncrementText(last) ?? ''
  const count = failures === undefined ? 'Increments' : plural(failures, 'increment')
  return `${count} have failed since ${formatMinute(failedSince)}, the last one because: ${last.reason}`
}

const endings = { published: 'succeeded', failed: 'failed', skipped: 'was skipped' } as const

/** `The last increment was skipped: REASON`; undefined if it succeeded, or if there was none. */
export const lastIncrementText = (
  last: Pick<LastIncrement, 'status' | 'reason'> | null | undefined,
): string | undefined =>
  last?.reason ? `The last increment ${endings[last.status]}: ${last.reason}` : undefined

/** What resolves how the last increment ended; `otherwise`: what to do if an increment can be started. */
export function fixOfLast(facts: EntityFacts, otherwise: string): Fix {
  const { name } = facts.settings
  const { last } = facts.state.increments ?? {}
  if (last?.cause === 'credentials' || last?.code === 'no-credentials') return credentialsFix(facts)
  if (last?.cause === 'unreadable-object') return unreadableFix(name)
  // While the platform is away, what somebody starts fails in the same way.
  if (last?.cause === 'platform-away' || isAway(facts)) return waitForPlatform
  if (last?.code === 'no-slot') return moreSlots
  return isSkippedSince(facts) && !passes(last?.code)
    ? { action: 'Start a full sync.', step: { kind: 'sync', entity: name } }
    : { action: otherwise, step: { kind: 'increment', entity: name } }
}

const waitForPlatform: Fix = {
  action: 'Wait: the next increment covers its window when the platform is back.',
}
const moreSlots: Fix = {
  action: "Move the schedules apart, or raise 'maxConcurrentScrolls' in the configuration and deploy.",
}

/** The last full sync ended because of it, which is a problem of its own, and no increment has succeeded since. */
export function isAway(facts: EntityFacts): boolean {
  const full = lastRunOf(facts)
  const { last } = facts.state.increments ?? {}
  if (full.kind !== 'away' || (last?.status === 'failed' && last.cause !== 'platform-away')) return false
  return last?.status !== 'published' || last.endedAt < full.run.endedAt
}

/** What ends by itself, also if it is repeated: the next increment begins. */
const passing: ReadonlySet<SkipCode> = new Set<SkipCode>([
  'entity-busy',
  'paused',
  'chain-moved',
  'comparing',
  'full-sync-began',
])

export const passes = (code: SkipCode | undefined): boolean => code !== undefined && passing.has(code)

/** Whether the last increment was skipped, and no snapshot has been published since: a full sync resolves most causes. */
export const isSkippedSince = ({ state: { increments, latest } }: Pick<EntityFacts, 'state'>): boolean =>
  increments?.last.status === 'skipped' &&
  (latest === undefined || latest.publishedAt <= increments.last.endedAt)

const endedRuns = (runs: EntityFacts['runs']) => runs.filter((run): run is EndedRun => hasEnded(run))

const minuteOf = (time: number) => formatMinute(new Date(time).toISOString())
