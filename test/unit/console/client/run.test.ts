import { describe, expect, it } from 'vitest'
import { formatTime } from '../../../../console/client/model/format.ts'
import {
  announcementOf,
  durationMs,
  durationShare,
  emptyStoryText,
  faultCount,
  faultsText,
  hasEvidence,
  isNews,
  progressFacts,
  proofText,
  rangeBars,
  waitingText,
  withCurrent,
  withNewest,
  withOlder,
} from '../../../../console/client/model/run-facts.ts'
import type { RunRow } from '../../../../console/contract/run.ts'

const run = (change: Partial<RunRow> = {}) =>
  ({
    runId: 'r',
    entity: 'CL',
    status: 'running',
    startedAt: '2026-11-21T12:00:00.000Z',
    endedAt: null,
    documents: 1000,
    total: 4000,
    percent: 25,
    pages: 10,
    attempt: 1,
    suspect: false,
    faults: {},
    documentsPerSecond: 250,
    secondsLeft: 12,
    proof: null,
    partitionsReason: null,
    ...change,
  }) as RunRow

const now = '2026-11-21T12:01:00.000Z'
it.each([
  [null, 60_000],
  ['2026-11-21T12:00:05.000Z', 5_000],
  ['2026-11-21T11:59:00.000Z', 0],
])('a run that ended at %j took %i ms', (endedAt, ms) => expect(durationMs(run({ endedAt }), now)).toBe(ms))

describe('the facts of a run in progress', () => {
  it.each<[name: string, change: Partial<RunRow>, facts: string[]]>([
    ['with everything', {}, ['1,000 of 4,000 documents', '2.5 pages/s', '12 s left']],
    ['without a total', { total: null, secondsLeft: null }, ['1,000 documents', '2.5 pages/s']],
    [
      'without a speed',
      { documentsPerSecond: null, secondsLeft: 1 },
      ['1,000 of 4,000 documents', '1 s left'],
    ],
    [
      'with all documents, after a long wait',
      { documents: 4_000, documentsPerSecond: 0.1, secondsLeft: 0 },
      ['4,000 of 4,000 documents'],
    ],
    ['while it waits', { status: 'waiting' }, ['1,000 of 4,000 documents', '2.5 pages/s']],
    [
      'in a later attempt without partitions',
      { attempt: 2, partitionsReason: 'Why.', secondsLeft: null },
      ['1,000 of 4,000 documents', '2.5 pages/s', 'attempt 2', 'without partitions'],
    ],
  ])('%s', (_, change, facts) => expect(progressFacts(run(change))).toEqual(facts))

  it.each([
    [{ documents: 5000, pages: 5, documentsPerSecond: 2500 }, 2.5],
    [{ documents: 3000, pages: 10, documentsPerSecond: 100 }, 0.3],
    [{ documents: 0, pages: 0, documentsPerSecond: 1 }, null],
    [{ documents: 1, pages: 1, documentsPerSecond: null }, null],
  ])('derive pages per second from %j: %j', (counts, speed) => {
    const fact = progressFacts(run(counts)).find((one) => one.endsWith(' pages/s'))
    expect(fact).toBe(speed === null ? undefined : `${speed} pages/s`)
  })

  it.each([
    [0, null, null],
    [0, 0, 100],
    [2, 3, 66],
    [199, 200, 99],
    [5, 4, 100],
  ])('%i documents of %j are %j percent', (documents, total, percent) => {
    expect(rangeBars([{ where: 'a', documents, total, attempt: 1, suspect: false }])).toMatchObject([
      { percent },
    ])
  })
})

it('shows the progress of each range', () => {
  const range = (where: string, documents: number) => ({
    where,
    documents,
    total: 4,
    attempt: 1,
    suspect: false,
  })
  expect(rangeBars([range('a', 1), range('b', 4)])).toEqual([
    { label: 'Range 1', where: 'a', percent: 25 },
    { label: 'Range 2', where: 'b', percent: 100 },
  ])
})

it.each<[change: Partial<RunRow>, text: string]>([
  [{ percent: 9 }, 'CL: 0%'],
  [{ percent: 29 }, 'CL: 20%'],
  [{ percent: 100 }, 'CL: 100%'],
  [{ percent: null }, 'CL: running'],
  [{ status: 'published' }, 'CL: published, 1,000 documents'],
  [{ status: 'failed', documents: 1 }, 'CL: failed, 1 document'],
])('announces %j as %s', (change, text) => expect(announcementOf(run(change))).toBe(text))

it.each([
  [{}, 0, 'none'],
  [{ '429': 1200, timeout: 2 }, 1202, '429: 1,200, timeout: 2'],
])('sums and lists the faults %j', (faults, count, text) => {
  expect([faultCount({ faults }), faultsText({ faults })]).toEqual([count, text])
})

it.each<[RunRow['proof'], boolean, string]>([
  [null, false, '–'],
  [null, true, 'suspect'],
  ['exact', false, 'exact'],
  ['exact', true, 'exact, suspect'],
])('the proof %j, suspect: %j, is shown as %s', (proof, suspect, text) => {
  expect(proofText({ proof, suspect })).toBe(text)
})

it.each([
  ['full', 'published', true],
  ['full', 'refused', true],
  ['full', 'failed', false],
  ['increment', 'published', false],
] as const)('a run of the kind %s that is %s may have evidence: %s', (kind, status, has) => {
  expect(hasEvidence({ kind, status })).toBe(has)
})

it.each([
  [true, 'Nothing unusual so far.'],
  [false, 'Nothing unusual.'],
])('the empty story of a run (active: %j) is %j', (isActive, text) => {
  expect(emptyStoryText(isActive)).toBe(text)
})

describe('the newest runs', () => {
  const respond = (ids: string, next: string | null) => ({
    runs: ids
      .split('')
      .filter(Boolean)
      .map((runId) => run({ runId })),
    next,
  })
  it.each([
    ['are all before older ones are loaded', undefined, respond('cb', 'b'), respond('cb', 'b')],
    ['keep the older ones and their end', respond('cba', 'a'), respond('dcb', 'b'), respond('dcba', 'a')],
    ['replace the same ones', respond('cb', 'x'), respond('cb', 'b'), respond('cb', 'b')],
    ['replace everything if there is none', respond('32', '2'), respond('', null), respond('', null)],
  ])('%s', (...[, before, newest, expected]) => expect(withNewest(before, newest)).toEqual(expected))

  it('are followed by older ones, with the position to continue from', () => {
    expect(withOlder(respond('dc', 'c'), respond('ba', 'a'))).toEqual(respond('dcba', 'a'))
    expect(withOlder(respond('dc', 'c'), respond('', null))).toEqual(respond('dc', null))
  })

  it('show the newest one as it is now', () => {
    const now = run({ runId: 'b', documents: 7 })
    const { runs } = respond('cba', null)
    expect(withCurrent(runs, now).map(({ documents }) => documents)).toEqual([1000, 7, 1000])
    expect(withCurrent(runs, undefined)).toEqual(runs)
  })
})

it.each([
  ['', 'CL: 0%', false],
  ['CL: 0%', 'CL: 0%', false],
  ['CL: 0%', '', false],
  ['CL: 0%', 'CL: 10%', true],
])('after %j, %j is announced: %j', (last, text, expected) => expect(isNews(last, text)).toBe(expected))

it.each([
  [100, 100],
  [33, 33],
  [1, 2],
  [0, 2],
])('the bar of a run that took %i%% of the longest one has %i%% of its width', (percent, width) => {
  const lasting = (seconds: number) =>
    run({ endedAt: new Date(Date.parse(now) + seconds * 1000).toISOString(), startedAt: now })
  expect(durationShare(lasting(percent * 2), [lasting(200), lasting(20)], now)).toBe(width)
})

it('the bar of a list of runs that took no time is visible', () => {
  expect(durationShare(run({ startedAt: now }), [run({ startedAt: now })], now)).toBe(2)
})

it.each([
  ['waiting', 'No slot.', 'Waiting: No slot.'],
  ['running', null, ''],
  ['failed', 'Why.', ''],
] as const)('the text of a run that is %s for %j is %j', (status, reason, text) => {
  expect(waitingText({ status, reason, wait: null })).toBe(text)
})

it('names since when a run waits, its next try, and when it gives up', () => {
  const wait = {
    for: 'slot',
    since: '2026-11-21T12:00:00.000Z',
    until: '2026-11-21T12:01:18.000Z',
    givesUpAt: null,
  } as const
  const [since, until] = [wait.since, wait.until].map(formatTime)
  expect(waitingText({ status: 'waiting', reason: 'No slot.', wait })).toBe(
    `Waiting since ${since}, next try when a slot is free, or at ${until}: No slot.`,
  )
  const platform = { ...wait, for: 'platform', givesUpAt: wait.until } as const
  expect(waitingText({ status: 'waiting', reason: 'Throttled.', wait: platform })).toBe(
    `Waiting since ${since}, next try at ${until}, gives up at ${until}: Throttled.`,
  )
})
