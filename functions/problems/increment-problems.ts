import type { LastIncrement, SkipCode } from '../../stored/entity-items.ts'
import { inUse, isSnapshotLease } from '../../stored/lease.ts'
import { type EndedRun, hasEnded } from '../../stored/run/run.ts'
import { timeOfRunId } from '../../stored/run/run-id.ts'
import { formatDuration, formatMinute, plural } from '../runtime/format.ts'
import type { EntityFacts } from './facts.ts'
import { incrementFreshness, isStale, snapshotFreshness } from './freshness.ts'
import { isRunning, lastRunOf } from './last-run.ts'
import type { Found } from './problem.ts'
import { credentialsFix, type Fix, unreadableFix } from './run-fixes.ts'
import { isPaused, missedStart } from './schedule-problems.ts'

/** Why increments have not succeeded for long, and what resolves that. `evidence`: empty if nothing more is known. */
type Cause = Fix & Pick<Found, 'level' | 'evidence'>

/** What prevents that increments begin comes before how the last one ended. */
function causeOfStale(facts: EntityFacts): Cause {
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
function endingsText({ state }: Pick<EntityFacts, 'state'>): string {
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
function fixOfLast(facts: EntityFacts, otherwise: string): Fix {
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
function isAway(facts: EntityFacts): boolean {
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

const passes = (code: SkipCode | undefined): boolean => code !== undefined && passing.has(code)

/** Whether the last increment was skipped, and no snapshot has been published since: a full sync resolves most causes. */
const isSkippedSince = ({ state: { increments, latest } }: Pick<EntityFacts, 'state'>): boolean =>
  increments?.last.status === 'skipped' &&
  (latest === undefined || latest.publishedAt <= increments.last.endedAt)

const endedRuns = (runs: EntityFacts['runs']) => runs.filter((run): run is EndedRun => hasEnded(run))

const minuteOf = (time: number) => formatMinute(new Date(time).toISOString())

/** What runs and their snapshots need comes first: an increment only adds to a snapshot. */
export function staleIncrements(facts: EntityFacts): Found | undefined {
  const { settings, state, now } = facts
  const freshness = incrementFreshness(facts)
  if (!freshness || !settings.increments || !state.latest || !isStale(freshness, now)) return undefined
  // The platform is a problem of the deployment.
  if (isAway(facts) && !isStale(snapshotFreshness(facts), now) && !isPaused(facts, 'increment'))
    return undefined
  const { window } = state.increments ?? {}
  const ended = window
    ? `The last increment window of ${settings.name} ended ${formatMinute(window.to)}`
    : `No increment of ${settings.name} has succeeded yet`
  const { evidence, ...cause } = causeOfStale(facts)
  return {
    since: new Date(freshness.staleAt).toISOString(),
    ...cause,
    evidence:
      `${ended}; ${settings.increments.schedule} allows ${formatDuration(freshness.maxAgeMs ?? 0)}. ${evidence}`.trimEnd(),
  }
}

/** The last one published nothing, and the next one is ahead. */
function unpublishedIncrement(facts: EntityFacts, status: LastIncrement['status']): Found | undefined {
  const { settings, state } = facts
  const { last, failedSince } = state.increments ?? {}
  if (!settings.increments || !settings.enabled || last?.status !== status) return undefined
  if (staleIncrements(facts)) return undefined
  return {
    level: 'note',
    since: failedSince ?? last.endedAt,
    evidence: `${settings.name}: ${endingsText(facts)}`,
    ...fixOfLast(facts, 'The next increment covers its window. To try it now, start one.'),
  }
}

export const failedIncrement = (facts: EntityFacts): Found | undefined =>
  unpublishedIncrement(facts, 'failed')

export const skippedIncrement = (facts: EntityFacts): Found | undefined =>
  isSkippedSince(facts) && !passes(facts.state.increments?.last.code)
    ? unpublishedIncrement(facts, 'skipped')
    : undefined

/** Changes that a full sync found and that the windows of increments should have contained. */
export function missedChanges({ settings, audit, state }: EntityFacts): Found | undefined {
  const { name, increments: configured } = settings
  const { missedByIncrements: missed = 0 } = audit
  if (!configured || missed === 0) return undefined
  return {
    level: 'problem',
    since: state.latest?.publishedAt ?? null,
    evidence: `${name}: the last full sync found ${plural(missed, 'change')} that increments missed: either lookbackMinutes (${configured.lookbackMinutes}) is shorter than the platform takes to index a change, or the platform changed documents again without a new updatedIn.`,
    action: `Raise increments.lookbackMinutes of ${name} in the configuration and deploy. Then sync it.`,
    step: { kind: 'sync-afterwards', entity: name },
  }
}

export function invisibleChanges({ settings, audit, state }: EntityFacts): Found | undefined {
  const { name, increments: configured } = settings
  const { invisibleToIncrements: invisible = 0 } = audit
  if (!configured || invisible === 0) return undefined
  return {
    level: 'note',
    since: state.latest?.publishedAt ?? null,
    evidence: `${name}: the last full sync found ${plural(invisible, 'change')} that no increment can see: the platform changed documents without updating updatedIn, or documents lack createdIn and updatedIn.`,
    action: `A longer lookback does not help. Sync ${name} as often as readers need these changes.`,
  }
}
