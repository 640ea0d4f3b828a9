import { expect, it } from 'vitest'
import { exportedResponses } from '../../../../../console/server/export/responses.ts'

const now = '2026-11-21T12:00:00.000Z'
const id = (n: number) => `2026112${n}T060000000Z-0123456789ab`
const masked = (n: number) => `2026112${n}T060000000Z-`

/** What the page shows of a run, and what identifies something. */
const shownRun = {
  entity: 'C L',
  status: 'refused',
  startedAt: 'a',
  updatedAt: 'b',
  endedAt: 'c',
  refusedAt: 'd',
  documents: 1,
  total: 2,
  percent: 50,
  pages: 3,
  attempt: 4,
  suspect: true,
  faults: { 429: 1 },
  documentsPerSecond: 5,
  secondsLeft: 6,
  uniqueIds: 7,
  proof: 'exact',
}
const run = (n: number) =>
  ({
    ...shownRun,
    runId: id(n),
    reason: 'x@example.com is missing.',
    partitions: [{ filter: 'createdIn' }],
    partitionsReason: 'Why.',
    manifest: 'secret',
  }) as never
const exportedRun = (n: number) => ({
  ...shownRun,
  runId: masked(n),
  reason: null,
  partitions: null,
  partitionsReason: null,
})

const counts = { kind: 'changes', created: 1, updated: 2, deleted: 3 }
const set = (n: number) => ({ ...counts, runId: id(n), base: id(n - 1), manifest: 'secret' }) as never
const exportedSet = (n: number) => ({ ...counts, runId: masked(n), base: null })

const attention = { kind: 'run-refused', entities: ['C L'], since: 'a' }
const item = {
  ...attention,
  details: { evidence: 'Run r', action: 'Review.', command: 'longshore review' },
} as never
const exportedItem = { ...attention, details: null }

const shownRow = {
  entity: 'C L',
  schedule: 'rate(1 day)',
  timezone: 'UTC',
  enabled: true,
  next: { kind: 'paused' },
  freshness: { kind: 'never' },
  proof: 'exact',
  trend: [1, 2],
}
const snapshot = { publishedAt: 'a', documents: 9 }
const row = {
  ...shownRow,
  snapshot: { ...snapshot, runId: id(1), manifest: 'secret' },
  changes: { kind: 'last', set: set(2), isCurrent: true },
  attention: [item],
  running: run(3),
  lastRun: run(2),
  bucket: 'secret',
} as never
const exportedRow = {
  ...shownRow,
  snapshot: { ...snapshot, runId: masked(1) },
  changes: { kind: 'last', set: exportedSet(2), isCurrent: true },
  attention: [exportedItem],
  running: exportedRun(3),
  lastRun: exportedRun(2),
}
const emptyRow = {
  ...shownRow,
  entity: 'AD',
  snapshot: null,
  changes: { kind: 'off' },
  attention: [],
  running: null,
  lastRun: null,
}

it('exports what the page shows, without anything that identifies a document, a run or the account', () => {
  const lane = (runId: string) => ({ entity: 'C L', runs: [{ runId, status: 'published' }] })
  const responses = exportedResponses({
    overview: {
      name: 'Shop',
      place: 'account 111122223333',
      now,
      attention: [item],
      entities: [row, emptyRow as never],
    },
    timelines: [{ days: 7, response: { now, lanes: [lane(id(1))] } as never }],
    entities: [
      { entity: { row, sets: [set(2)], now } as never, runs: { runs: [run(2)], next: 'token' } as never },
    ],
  })
  expect(responses).toEqual({
    '/about': { name: 'Shop', referencePath: null, exportedAt: now, commandLine: null },
    '/overview': {
      name: 'Shop',
      place: 'Exported',
      now,
      attention: [exportedItem],
      entities: [exportedRow, emptyRow],
    },
    '/timeline?days=7&after=0': { now, lanes: [lane(masked(1))] },
    '/entities/C%20L': { row: exportedRow, sets: [exportedSet(2)], now },
    '/entities/C%20L/runs': { runs: [exportedRun(2)], next: null },
  })
})
