import type { EntityRow, OverviewResponse, ProblemRow } from '../console/contract/overview.ts'
import type { RunRow } from '../console/contract/run-rows.ts'
import type { TimelineResponse, TimelineRun } from '../console/contract/timeline.ts'
import { commandOf, type Step } from '../functions/problems/steps.ts'
import { formatMinute } from '../functions/runtime/format.ts'

/** What the console's server would respond with for a large deployment: `npm start` has a short past. */

const hour = 3_600_000
const iso = (time: number) => new Date(time).toISOString()
const runIdOf = (time: number, index: number) =>
  `${iso(time).replaceAll(/[-:.]/g, '')}-${String(index).padStart(12, '0')}`

const entityCount = 300
const areas = ['orders', 'clients', 'prices', 'stock', 'stores', 'coupons', 'products', 'returns']
const nameOf = (index: number) =>
  `${areas[index % areas.length]}-${String(Math.floor(index / areas.length) + 1).padStart(2, '0')}`

/** 300 entities: ten runs scroll, 215 wait for a slot, and some need a person. */
export function exampleOverview(now: number): OverviewResponse {
  const entities = Array.from({ length: entityCount }, (_, index) => exampleEntity(now, index))
  return {
    name: 'Longshore',
    place: 'account 123456789012, region eu-west-1',
    now: iso(now),
    problems: entities.flatMap(({ problems }) => problems),
    entities,
  }
}

function exampleEntity(now: number, index: number): EntityRow {
  const documents = 1_000 + ((index * 7_919) % 240_000)
  const isFailing = index === 41
  const isRefused = index === 130
  const ageMs = ((index % 6) + 0.4) * hour
  const lastRun = exampleRun(now - ageMs, { index, documents, isFailing, isRefused })
  const isRunning = index >= 60 && index < 70
  const isWaiting = index >= 75 && index < 290
  const running = exampleRun(now - 0.02 * hour, { index, documents, isFailing: false, isRefused: false })
  return {
    entity: nameOf(index),
    schedule: 'rate(6 hours)',
    timezone: 'UTC',
    enabled: true,
    next:
      index === 12
        ? { kind: 'paused', until: iso(now + 9 * hour) }
        : { kind: 'run', at: iso(now + 6 * hour - ageMs) },
    freshness: { kind: 'fresh', ageMs, maxAgeMs: 12 * hour },
    snapshot: { runId: lastRun.runId, publishedAt: iso(now - ageMs), documents, manifest: '' },
    proof: 'exact',
    changes: {
      kind: 'last',
      isCurrent: true,
      set: {
        runId: lastRun.runId,
        base: null,
        kind: 'changes',
        created: index % 40,
        updated: (index * 13) % 900,
        deleted: index % 7,
        delivered: 0,
      },
    },
    increments: null,
    running: isRunning
      ? { ...running, ...scrolling(index) }
      : isWaiting
        ? { ...running, ...waiting(now) }
        : null,
    lastRun,
    trend: Array.from({ length: 10 }, (_, at) => documents - (10 - at) * ((index * 31) % 97)),
    problems: exampleProblems(now, { entity: nameOf(index), isFailing, isRefused }),
  }
}

const scrolling = (index: number) => ({
  status: 'running' as const,
  endedAt: null,
  documents: 900 * (index - 58),
  total: 12_000,
  percent: Math.floor((900 * (index - 58)) / 120),
  documentsPerSecond: 800,
  secondsLeft: 3 * (75 - index),
  pages: 9 * (index - 58),
})

const waiting = (now: number) => ({
  status: 'waiting' as const,
  endedAt: null,
  documents: 0,
  reason: 'All 10 slots for concurrent syncs are taken.',
  wait: { for: 'slot' as const, since: iso(now - 70_000), until: iso(now + 9_000), givesUpAt: null },
})

interface ExampleRun {
  readonly index: number
  readonly documents: number
  readonly isFailing: boolean
  readonly isRefused: boolean
}

function exampleRun(start: number, { index, documents, isFailing, isRefused }: ExampleRun): RunRow {
  return {
    runId: runIdOf(start, index),
    entity: nameOf(index),
    kind: 'full',
    status: isFailing ? 'failed' : isRefused ? 'refused' : 'published',
    startedAt: iso(start),
    updatedAt: iso(start),
    endedAt: iso(start + 120_000),
    refusedAt: null,
    documents,
    total: documents,
    percent: 100,
    pages: Math.ceil(documents / 1_000),
    attempt: 1,
    suspect: false,
    reason: null,
    wait: null,
    faults: {},
    documentsPerSecond: null,
    secondsLeft: null,
    uniqueIds: documents,
    proof: 'exact',
    manifest: null,
    by: null,
    repeatOf: null,
    republishedFrom: null,
    increment: null,
    partitions: null,
    partitionsReason: null,
  }
}

type Found = Pick<ProblemRow, 'evidence' | 'action'> & { readonly step: Step }

function exampleProblems(
  now: number,
  { entity, isFailing, isRefused }: Pick<ExampleRun, 'isFailing' | 'isRefused'> & { readonly entity: string },
): ProblemRow[] {
  const problem = (kind: string, agoMs: number, { evidence, action, step }: Found): ProblemRow => {
    const command = `npx --no-install longshore ${commandOf(step)}`
    return {
      kind,
      level: 'problem',
      entities: [entity],
      since: iso(now - agoMs),
      evidence,
      action,
      step,
      command,
    }
  }
  return [
    ...(isFailing
      ? [
          problem('run-failed', 4 * hour, {
            evidence: `At least the last 2 runs of ${entity} failed: the platform responded with 404. The snapshot was published ${formatMinute(iso(now - 5 * hour))}.`,
            action: `Check the name and 'query' of ${entity} in the configuration, and deploy. Then sync it.`,
            step: { kind: 'sync-afterwards', entity },
          }),
        ]
      : []),
    ...(isRefused
      ? [
          problem('run-refused', 2 * hour, {
            evidence: `Run ${runIdOf(now - 2 * hour, 0)} of ${entity} was refused: it found 1,746 documents, 41.8% fewer than the 3,000 of the snapshot published ${formatMinute(iso(now - 4 * hour))}.`,
            action:
              'Review which documents are missing. If they were deleted on purpose, accept exactly this snapshot.',
            step: { kind: 'review', runId: runIdOf(now - 2 * hour, 0) },
          }),
        ]
      : []),
  ]
}

const lanes = ['CL', 'AD', 'orders', 'products', 'prices', 'stock', 'coupons', 'stores']
const outage = { fromHoursAgo: 7.2, toHoursAgo: 4.9 }

/** Syncs of a day. The platform was away for some hours; those of one entity became slow, and one was refused. */
export function exampleTimeline(now: number): TimelineResponse {
  return {
    entities: lanes,
    lanes: lanes.map((entity, index) => ({ entity, runs: exampleRuns(now, index) })),
    next: Object.fromEntries(lanes.map((entity, index) => [entity, iso(now + (index + 0.5) * 0.4 * hour)])),
    revision: 1,
    now: iso(now),
  }
}

function exampleRuns(now: number, index: number): TimelineRun[] {
  const newest = now - (index + 1) * 0.1 * hour
  const everyHours = [1, 6, 1, 3, 2, 0.5, 12, 4][index] ?? 1
  const count = Math.floor(23 / everyHours)
  return Array.from({ length: count }, (_, at): TimelineRun => {
    const start = newest - (count - at) * everyHours * hour
    const hoursAgo = (now - start) / hour
    const isAway = hoursAgo <= outage.fromHoursAgo && hoursAgo >= outage.toHoursAgo
    const isSlow = index === 2 && at > count / 2
    const usualMinutes = (5 + index * 2) * (isSlow ? 2.5 : 1) * (1 + ((at * 7) % 5) / 20)
    const isRefused = index === 4 && at === count - 1
    return {
      runId: runIdOf(start, index),
      status: isAway ? 'failed' : isRefused ? 'refused' : 'published',
      startedAt: iso(start),
      endedAt: iso(start + (isAway ? 1 : usualMinutes) * 60_000),
      documents: isAway ? 0 : 10_000 * (index + 1) + at,
    }
  })
}
