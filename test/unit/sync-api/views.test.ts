import { describe, expect, it } from 'vitest'
import { type Position, startPosition } from '../../../stored/pages/page.ts'
import { type ActiveRun, newRun, type RunResult } from '../../../stored/run/run.ts'
import { failed, published, publishing, waiting, withRange } from '../../../stored/run/run-changes.ts'
import { fallback, plannedRanges } from '../../../stored/run/split.ts'
import { runView } from '../../../stored/views.ts'
import { entityNamed } from '../../entity-named.ts'
import { planOfRanges } from '../stored/run/plan-of-ranges.ts'

const start = Date.UTC(2026, 2, 1, 6)
const startText = '2026-03-01T06:00:00.000Z'
const run: ActiveRun = newRun({
  runId: 'r',
  entity: entityNamed('CL'),
  acceptShrink: false,
  execution: 'arn:x',
  now: start,
})
/** A committed position whose response arrived this many seconds after the start of the run. */
const positionAt = (
  documentsSoFar: number,
  seconds: number,
  total: number | 'not-reported' = 100,
): Position => ({
  ...startPosition(10),
  kind: 'page',
  page: 2,
  documentsSoFar,
  total,
  respondedAt: start + seconds * 1000,
})
const ranges = plannedRanges(
  {
    ...planOfRanges,
    by: 'createdIn',
    boundaries: ['b'],
    total: 80,
    filters: ['undated', 'dated'].map((where) => ({ where, documents: 40 })),
  },
  { pageSize: 10, now: start },
)

const unstarted = {
  runId: 'r',
  entity: 'CL',
  status: 'running',
  startedAt: startText,
  updatedAt: startText,
  endedAt: null,
  documents: 0,
  total: null,
  percent: null,
  pages: 0,
  attempt: 1,
  suspect: false,
  reason: null,
  kind: 'full',
  increment: null,
  wait: null,
  faults: {},
  documentsPerSecond: null,
  secondsLeft: null,
  uniqueIds: null,
  proof: null,
  manifest: null,
  by: null,
  refusedAt: null,
  repeatOf: null,
  republishedFrom: null,
  partitions: null,
  partitionsReason: null,
}

describe('a run as callers see it', () => {
  it('has unknown members before its first page', () => expect(runView(run, [undefined])).toEqual(unstarted))

  it('has counts, speed and remaining time by its committed pages', () => {
    expect(runView(run, [positionAt(30, 8)])).toEqual({
      ...unstarted,
      updatedAt: '2026-03-01T06:00:08.000Z',
      documents: 30,
      total: 100,
      percent: 30,
      pages: 2,
      documentsPerSecond: 3.8,
      secondsLeft: 19,
    })
  })

  it('has the numbers of its proof once it is published', () => {
    const result = { documents: 30, uniqueIds: 29, proof: 'exact' } as RunResult
    const progress = { documents: 31, pages: 4, total: 29, rangeProgress: [] }
    const end = published(publishing(run, result, start), { manifest: 'key', progress, now: start + 9_000 })
    expect(runView(end, [])).toEqual({
      ...unstarted,
      status: 'published',
      updatedAt: '2026-03-01T06:00:09.000Z',
      endedAt: '2026-03-01T06:00:09.000Z',
      documents: 30,
      total: 29,
      percent: 100,
      pages: 4,
      uniqueIds: 29,
      proof: 'exact',
      manifest: 'key',
    })
  })

  it('has the reason why it failed, and its progress until then', () => {
    const progress = { documents: 7, pages: 1, total: undefined, rangeProgress: [] }
    const end = failed(run, { reason: 'Why.', progress, now: start })
    expect(runView(end, [])).toMatchObject({
      status: 'failed',
      reason: 'Why.',
      documents: 7,
      total: null,
      percent: null,
      pages: 1,
    })
  })

  it('has the reason why it waits, and was last changed by what happened last', () => {
    const waits = waiting(run, { for: 'platform', reason: 'Throttled.', waitMs: 20_000, now: start + 10_000 })
    expect(runView(waits, [positionAt(30, 8)])).toMatchObject({
      status: 'waiting',
      reason: 'Throttled.',
      wait: {
        for: 'platform',
        since: '2026-03-01T06:00:10.000Z',
        until: '2026-03-01T06:00:30.000Z',
        givesUpAt: null,
      },
      updatedAt: '2026-03-01T06:00:10.000Z',
    })
  })

  it('has when it gives up waiting: 25 minutes after the first failure, or with its execution', () => {
    const retryState = { since: start, last: { kind: 'throttled', tries: 2, since: start + 5_000 } } as const
    const throttled = withRange(run, 0, (range) => ({ ...range, retryState }))
    const wait = { for: 'platform', reason: 'Throttled.', waitMs: 20_000, now: start + 10_000 } as const
    const viewed = (one: Parameters<typeof waiting>[0], next: Parameters<typeof waiting>[1] = wait) =>
      runView(waiting(one, next), []).wait?.givesUpAt
    expect(viewed(throttled)).toBe(new Date(start + 25 * 60_000).toISOString())
    const slot = { ...wait, for: 'slot' } as const
    const limit = new Date(Date.parse(run.startedAt) + 350_400_000).toISOString()
    expect(viewed({ ...run, execution: 'arn' }, slot)).toBe(limit)
    expect(viewed({ ...run, execution: 'arn', repeat: { of: 'first', after: 'first' } }, slot)).toBeNull()
    expect(viewed({ ...run, execution: undefined }, slot)).toBeNull()
  })
})

it.each([
  [0, 0, 100],
  [1, 3, 33],
  [2, 3, 66],
  [3, 3, 100],
  [4, 3, 100],
])('the percentage of a run of %i of %i documents is %i', (documents, total, percent) => {
  expect(runView(run, [positionAt(documents, 1, total)])).toMatchObject({ percent, total })
})

it.each<[string, Position, { documentsPerSecond: number | null; secondsLeft: number | null }]>([
  ['in the millisecond of its start', positionAt(30, 0), { documentsPerSecond: null, secondsLeft: null }],
  ['after the clock was set back', positionAt(30, -1), { documentsPerSecond: null, secondsLeft: null }],
  ['without a document', positionAt(0, 1), { documentsPerSecond: null, secondsLeft: null }],
  ['without a total', positionAt(30, 10, 'not-reported'), { documentsPerSecond: 3, secondsLeft: null }],
  ['beyond its total', positionAt(30, 10, 20), { documentsPerSecond: 3, secondsLeft: 0 }],
])('the speed of a run: %s is known as far as it can be', (_, position, speed) => {
  expect(runView(run, [position])).toMatchObject(speed)
})

describe('the partitions of a run', () => {
  it('have their own progress, the undated one last, and the run has their sum', () => {
    const view = runView({ ...run, split: ranges }, [positionAt(20, 10, 40), positionAt(10, 8, 30)])
    const range = { attempt: 1, suspect: false }
    expect(view).toMatchObject({
      documents: 30,
      total: 80,
      pages: 4,
      updatedAt: '2026-03-01T06:00:10.000Z',
      documentsPerSecond: 3,
      partitions: [
        { ...range, where: 'dated', documents: 10, total: 30 },
        { ...range, where: 'undated', documents: 20, total: 40 },
      ],
      partitionsReason: null,
    })
  })

  it('have no progress before their first page', () => {
    const view = runView({ ...run, split: ranges }, [positionAt(20, 10, 40), undefined])
    expect(view.partitions?.[0]).toEqual({
      where: 'dated',
      documents: 0,
      total: null,
      attempt: 1,
      suspect: false,
    })
  })

  it('have the progress that was recorded when the run ended, without a read of their pages', () => {
    const one = { documents: 20, pages: 2, total: 40 }
    const progress = { documents: 20, pages: 2, total: 80, rangeProgress: [one] }
    const end = failed({ ...run, split: ranges }, { reason: 'Why.', progress, now: start })
    const range = { attempt: 1, suspect: false }
    expect(runView(end, []).partitions).toEqual([
      { ...range, where: 'dated', documents: 0, total: null },
      { ...range, where: 'undated', documents: 20, total: 40 },
    ])
  })

  it('are null with the reason if the run continues without them', () => {
    const split = fallback('The platform ignores the filter.', { pageSize: 10, now: start })
    expect(runView({ ...run, split }, [undefined])).toMatchObject({
      partitions: null,
      partitionsReason: 'The platform ignores the filter.',
    })
  })
})
