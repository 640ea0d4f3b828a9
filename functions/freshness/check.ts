import { isDeepStrictEqual } from 'node:util'
import { type AlertContext, deliverChanges, storeChanges } from '../alerts/alerts.ts'
import { erasureFactsOf, erasureIncompleteSince } from '../problems/erasure-problems.ts'
import type { EntityFacts } from '../problems/facts.ts'
import { type Freshness, isStale, snapshotFreshness } from '../problems/freshness.ts'
import { incrementFreshness } from '../problems/increment-problems.ts'
import type { LastLook, LookStore } from '../problems/look-items.ts'
import { opened, problemEvents } from '../problems/problem-events.ts'
import { type Facts, inOrder, problemsOf } from '../problems/problems.ts'
import { type LookContext, readFacts, type Unread, withoutSchedules } from '../problems/read-facts.ts'
import { describeError, type Log } from '../runtime/log.ts'
import { mapPooled } from '../runtime/map-pooled.ts'
import { metricFields } from '../runtime/metrics.ts'
import { settleAll } from '../runtime/settle-all.ts'
import type { ProblemEvent } from '../state/events.ts'
import { watchedSince } from './watched-since.ts'

const eventsAtOnce = 10

export interface CheckContext extends Omit<LookContext, 'looks' | keyof typeof withoutSchedules> {
  readonly looks: LookStore
  readonly publishEvent: (event: ProblemEvent) => Promise<void>
  readonly alerts: AlertContext
  readonly log: Log
}

/**
 * Looks for problems, stores what it finds, for callers of the API and for the next look, and publishes which of them
 * opened and which are over. An event that cannot be sent is sent by the next look. Receivers of alerts are told the same,
 * whether or not events can be sent. Logs each stale snapshot, and their number as a metric. Fails at the end if something
 * could not be read.
 */
export async function check(context: CheckContext): Promise<LastLook> {
  const { settings, looks, log, now } = context
  const known = await looks.readWatched()
  const watched = watchedSince(settings, known, now())
  if (!isDeepStrictEqual(known, watched)) await looks.writeWatched(watched)

  const facts = await readFacts({
    ...context,
    ...withoutSchedules,
    looks: { ...looks, readWatched: async () => watched },
  })
  report(log, facts)
  const names = settings.entities.map(({ name }) => name)
  const last = await looks.readLook(names)
  const at = new Date(facts.now).toISOString()
  const unread = new Set(facts.unread.map(({ entity }) => entity))
  const found = problemsOf(facts).map((problem) => opened(problem, last, at))
  const look = {
    // Of entities that could not be read, the last look still holds.
    problems: inOrder([
      ...found.filter(({ entity }) => entity === undefined || !unread.has(entity)),
      ...last.problems.filter(({ entity }) => entity !== undefined && unread.has(entity)),
    ]),
    problemsAt: at,
  }
  const looked = { before: last.problems, after: look.problems, time: at }
  const waiting = await storeChanges(context.alerts, looked)
  const unannounced = { ...look, announced: last.announced }
  await looks.writeLook(names, { ...unannounced, last })
  const announce = async () => {
    const events = problemEvents(last.announced, look.problems)
    await mapPooled(events, eventsAtOnce, context.publishEvent)
    const announced = { ...look, announced: look.problems }
    if (!isDeepStrictEqual(announced, unannounced))
      await looks.writeLook(names, { ...announced, last: unannounced })
  }
  const deliver = async () => {
    const failures = await deliverChanges(context.alerts, waiting)
    if (!isDeepStrictEqual(failures, facts.alertFailures)) await looks.writeAlertFailures(failures)
  }
  await settleAll([announce(), deliver()])
  failUnread(log, facts.unread)
  return look
}

function report(log: Log, { entities, orphans }: Facts): void {
  const erasures = [...entities.map(erasureFactsOf), ...orphans.map(({ erasure }) => erasure)]
  const scheduled = entities.filter(({ settings }) => settings.enabled)
  const snapshots = scheduled.flatMap((facts) => staleLine(facts, snapshotFreshness(facts)))
  const windows = scheduled.flatMap((facts) => staleLine(facts, incrementFreshness(facts)))
  for (const line of snapshots) log('WARN', 'snapshot stale', line)
  for (const line of windows) log('WARN', 'increments stale', line)
  const metrics = {
    StaleSnapshots: snapshots.length,
    ...(scheduled.some(({ settings }) => settings.increments) && { StaleIncrements: windows.length }),
    ...(erasures.some(({ eraseWithinDays }) => eraseWithinDays !== undefined) && {
      ErasureIncomplete: erasures.filter((facts) => erasureIncompleteSince(facts) !== undefined).length,
    }),
  }
  log('INFO', 'freshness', { entities: scheduled.length, ...metricFields(metrics, {}) })
}

function staleLine(facts: EntityFacts, freshness: Freshness | undefined) {
  if (!freshness || !isStale(freshness, facts.now)) return []
  const seconds = (ms: number) => Math.round(ms / 1000)
  const { ageMs, maxAgeMs = 0 } = freshness
  return [{ entity: facts.settings.name, ageSeconds: seconds(ageMs), maxAgeSeconds: seconds(maxAgeMs) }]
}

function failUnread(log: Log, unread: readonly Unread[]): void {
  for (const { entity, failure } of unread)
    log('ERROR', 'cannot look for problems', { entity, error: describeError(failure) })
  if (unread.length > 0) throw new Error('Not everything could be read. The log has the reasons.')
}
