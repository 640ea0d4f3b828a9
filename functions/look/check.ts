import { isDeepStrictEqual } from 'node:util'
import type { ProblemEvent } from '../../stored/events.ts'
import { type AlertContext, deliverChanges, nameOfReceiver, storeChanges } from '../alerts/alerts.ts'
import type { EntityFacts } from '../problems/facts.ts'
import { type Freshness, incrementFreshness, isStale, snapshotFreshness } from '../problems/freshness.ts'
import type { AlertFailure, LastLook, LookStore, StoredLook } from '../problems/look-items.ts'
import { opened, problemEvents } from '../problems/problem-events.ts'
import { inOrder } from '../problems/problems.ts'
import type { LookContext, ReadFacts, Unread } from '../problems/read-facts.ts'
import { readFacts, withoutSchedules } from '../problems/read-facts.ts'
import { openProblems } from '../problems/staying.ts'
import { reasonOf } from '../runtime/format.ts'
import { describeError, type Log } from '../runtime/log.ts'
import { mapPooled } from '../runtime/map-pooled.ts'
import { metricFields } from '../runtime/metrics.ts'
import { settleAll } from '../runtime/settle-all.ts'
import { watchedSince } from './watched-since.ts'

const eventsAtOnce = 10
/** Longer than the function runs: a check that died is over by then. */
const lockMs = 65_000
const lockPollMs = 1_000
const maxLockPolls = 20
/** Where events go, in the problem of what could not be delivered. */
const eventBus = 'the default event bus'

export interface CheckContext extends Omit<LookContext, 'looks' | keyof typeof withoutSchedules> {
  readonly looks: LookStore
  readonly publishEvent: (event: ProblemEvent) => Promise<void>
  readonly alerts: AlertContext
  readonly log: Log
  readonly sleep: (ms: number) => Promise<void>
}

/** Looks for problems. Only one look is in progress at a time: another one waits for it, and then begins or gives up. */
export async function check(context: CheckContext): Promise<LastLook> {
  const { looks, log, now, sleep } = context
  for (let polls = 0; polls < maxLockPolls; polls++) {
    const until = now() + lockMs
    if (await looks.begin({ now: now(), until })) {
      try {
        return await look(context)
      } finally {
        await looks.end(until)
      }
    }
    await sleep(lockPollMs)
  }
  log('INFO', 'another look is in progress')
  return looks.readWholeLook(context.settings.entities.map(({ name }) => name))
}

/**
 * Stores what it finds, for callers of the API and for the next look, and tells receivers and subscribers which problems
 * opened and which are over. What cannot be sent is sent by a later look: it does not depend on where else it is sent.
 * Fails at the end if something could not be read.
 */
async function look(context: CheckContext): Promise<LastLook> {
  const { settings, looks, log, now } = context
  const known = await looks.readWatched()
  const watched = watchedSince(settings, known, now())
  if (!isDeepStrictEqual(known, watched)) await looks.writeWatched(watched)

  const facts = await readFacts({
    ...context,
    ...withoutSchedules,
    looks: {
      readWatched: async () => watched,
      readAlertFailures: async () => currentFailures(context, await looks.readAlertFailures()),
      readWholeLook: (names) => looks.readWholeLook(names),
    },
  })
  const { last } = facts
  const time = new Date(facts.now).toISOString()
  const problems = inOrder(openProblems(facts).map((problem) => opened(problem, last, time)))
  report(log, facts, problemEvents(last.problems, problems))
  const waiting = await storeChanges(context.alerts, { before: last.problems, after: problems, time })
  const stored = await looks.writeLook({ problems, problemsAt: time, announced: last.announced, last })
  const [unsent, undelivered] = await settleAll([
    announce(context, stored, facts.alertFailures),
    deliverChanges(context.alerts, waiting),
  ])
  const failures = [...unsent, ...undelivered]
  if (!isDeepStrictEqual(failures, facts.alertFailures)) await looks.writeAlertFailures(failures)
  failUnread(log, facts.unread)
  return { problems, problemsAt: time }
}

/** Without those of receivers that were removed. */
function currentFailures({ alerts }: CheckContext, failures: readonly AlertFailure[]): AlertFailure[] {
  const receivers = alerts.receivers.map((receiver) => nameOfReceiver(alerts, receiver))
  return failures.filter(({ receiver }) => receiver === eventBus || receivers.includes(receiver))
}

/** Sends the events about what has changed since the last ones. Returns why that failed. */
async function announce(
  { publishEvent, looks, log }: CheckContext,
  look: StoredLook,
  before: readonly AlertFailure[],
): Promise<AlertFailure[]> {
  try {
    await mapPooled(problemEvents(look.announced, look.problems), eventsAtOnce, publishEvent)
  } catch (error) {
    log('ERROR', 'event not sent', { error: describeError(error), ...metricFields({ EventsNotSent: 1 }) })
    const since = before.find(({ receiver }) => receiver === eventBus)?.since ?? look.problemsAt ?? ''
    return [{ receiver: eventBus, since, reason: reasonOf(error) }]
  }
  if (!isDeepStrictEqual(look.announced, look.problems))
    await looks.writeLook({ ...look, announced: look.problems, last: look })
  return []
}

function report(log: Log, { entities }: ReadFacts, events: readonly ProblemEvent[]): void {
  const scheduled = entities.filter(({ settings }) => settings.enabled)
  for (const facts of scheduled) {
    const ages = { 'snapshot stale': snapshotFreshness(facts), 'increments stale': incrementFreshness(facts) }
    for (const [message, freshness] of Object.entries(ages))
      if (freshness && isStale(freshness, facts.now)) log('WARN', message, ageFields(facts, freshness))
  }
  const isOpening = ({ type, detail }: ProblemEvent) =>
    type === 'Problem Opened' && detail.level === 'problem'
  const count = events.filter(isOpening).length
  log('INFO', 'freshness', {
    entities: scheduled.length,
    ...metricFields({ ProblemsOpened: count === 0 ? undefined : count }),
  })
}

function ageFields({ settings }: EntityFacts, { ageMs, maxAgeMs = 0 }: Freshness) {
  const seconds = (ms: number) => Math.round(ms / 1000)
  return { entity: settings.name, ageSeconds: seconds(ageMs), maxAgeSeconds: seconds(maxAgeMs) }
}

function failUnread(log: Log, unread: readonly Unread[]): void {
  for (const { entity, failure } of unread)
    log('ERROR', 'cannot look for problems', { entity, error: describeError(failure) })
  if (unread.length > 0) throw new Error('Not everything could be read. The log has the reasons.')
}
