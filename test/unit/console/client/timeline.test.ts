import { describe, expect, it } from 'vitest'
import { outagesOf, outageTexts } from '../../../../console/client/model/outages.ts'
import {
  barAt,
  barsOf,
  barText,
  laneText,
  matchingLanes,
  pathsOf,
  periodOf,
  placeOfTime,
  timelineIntervalMs,
  timelineReader,
} from '../../../../console/client/model/timeline-bars.ts'
import type { TimelineRun } from '../../../../console/contract/timeline.ts'

const now = '2026-11-21T12:00:00.000Z'
const hour = 3_600_000
const period = { from: Date.parse(now) - 24 * hour, to: Date.parse(now) }
/** A run that began and ended some hours ago. */
const run = (from: number, to: number | null, change: Partial<TimelineRun> = {}): TimelineRun => ({
  runId: `r${from}`,
  status: to === null ? 'running' : 'published',
  startedAt: new Date(Date.parse(now) - from * hour).toISOString(),
  endedAt: to === null ? null : new Date(Date.parse(now) - to * hour).toISOString(),
  documents: to === null ? null : 95,
  ...change,
})
const lane = (...runs: TimelineRun[]) => ({ entity: 'CL', runs })

describe('the bars of a lane', () => {
  it('have the length of their runs, and the height of their duration compared with the median', () => {
    const bars = barsOf(lane(run(24, 18), run(12, 6), run(4, 0)), period, now)
    expect(bars.map(({ x, width, height, tone }) => [x, width, height, tone])).toEqual([
      [0, 0.25, 0.55, 'good'],
      [0.5, 0.25, 0.55, 'good'],
      [expect.closeTo(1 - 4 / 24), expect.closeTo(4 / 24), expect.closeTo((0.55 * 4) / 6), 'good'],
    ])
  })

  it.each<[name: string, runs: TimelineRun[], expected: object[]]>([
    ['end now while the run is in progress', [run(6, null)], [{ x: 0.75, width: 0.25, tone: 'active' }]],
    ['begin with the period', [run(30, 18)], [{ x: 0, width: 0.25 }]],
    ['are left out before the period', [run(30, 25)], []],
    ['can be seen however short the run was', [run(12, 12)], [{ x: 0.5, width: 0.003, height: 0.25 }]],
    ['stay within the lane', [run(0, 0)], [{ x: 0.997, width: 0.003 }]],
    [
      'are as high as the lane if the run failed, or was much slower than the others',
      [run(23, 22), run(21, 20.5, { status: 'failed' }), run(20, 19), run(18, 10)],
      [{ height: 0.55 }, { height: 1, tone: 'problem' }, { height: 0.55 }, { height: 1 }],
    ],
  ])('%s', (_, runs, expected) => expect(barsOf(lane(...runs), period, now)).toMatchObject(expected))

  it('are drawn as one path for each tone', () => {
    const bars = barsOf(lane(run(24, 18), run(12, 6), run(4, 3, { status: 'refused' })), period, now)
    expect(pathsOf(bars)).toEqual([
      ['good', 'M0 24h250v-13.2h-250zM500 24h250v-13.2h-250z'],
      ['problem', 'M833.3 24h41.7v-24h-41.7z'],
    ])
  })

  it.each([
    [0.1, 0],
    [0.255, 0],
    [0.4, undefined],
    [0.495, 1],
    [0.6, 1],
  ])('at %f is number %j', (position, index) => {
    expect(barAt(barsOf(lane(run(24, 18), run(12, 6)), period, now), position)).toBe(index)
  })

  it('at a position of two is the later one', () => {
    expect(barAt(barsOf(lane(run(24, 6), run(12, 3)), period, now), 0.6)).toBe(1)
  })

  it('are none where nothing ran', () => expect(barAt([], 0.5)).toBeUndefined())
})

it.each([
  [run(2, 1), / · published · Nov 2\d, \S+, took 1 h · 95 documents$/],
  [run(2, null), / · running · Nov 2\d, \S+, for 2 h$/],
])('a run is described by its status, times and documents', (one, text) => {
  expect(barText('CL', one, now)).toMatch(text)
})

it('a lane is summarized by its runs', () => {
  const runs = [run(3, 2), run(2, 1), run(1, 0, { status: 'failed' })]
  expect(laneText(lane(...runs))).toBe('CL: 3 runs, 2 published, 1 failed')
  expect(laneText(lane())).toBe('CL: 0 runs')
  expect(laneText(lane(), now)).toMatch(/^CL: 0 runs, next run at Nov 2\d, \S+$/)
})

it.each([
  [{ name: '', onlyProblems: false }, ['CL', 'AD', 'EX']],
  [{ name: ' c', onlyProblems: false }, ['CL']],
  [{ name: '', onlyProblems: true }, ['AD', 'EX']],
])('the filter %j shows %j', (filter, names) => {
  const lanes = [
    { entity: 'CL', runs: [run(1, 0), run(2, 1, { status: 'cancelled' })] },
    { entity: 'AD', runs: [run(1, 0, { status: 'refused' })] },
    { entity: 'EX', runs: [run(1, 0, { status: 'failed' })] },
  ]
  expect(matchingLanes(lanes, filter).map(({ entity }) => entity)).toEqual(names)
})

it('is read as a whole once, and then only the lanes that have changed, in the order of the configuration', async () => {
  const paths: string[] = []
  const changed = { entity: 'AD', runs: [run(1, 0)] }
  const responses = [
    { lanes: [lane(run(2, 1))], next: {}, revision: 3 },
    { lanes: [changed], next: { CL: now }, revision: 4 },
  ]
  const read = timelineReader('/timeline?hours=24', async (path) => {
    const response = responses[paths.push(path) - 1]
    return { entities: ['CL', 'AD'], lanes: [], next: {}, revision: 4, now, ...response }
  })
  expect([...(await read()).lanes.values()].map(({ runs }) => runs.length)).toEqual([1, 0])
  expect(await read()).toMatchObject({ revision: 4, next: { CL: now } })
  expect([...(await read()).lanes]).toEqual([
    ['CL', lane(run(2, 1))],
    ['AD', changed],
  ])
  expect(paths).toEqual([0, 3, 4].map((after) => `/timeline?hours=24&after=${after}`))
})

it.each([
  ['nothing is known', undefined, 10_000],
  ['nothing runs', [run(1, 0)], 10_000],
  ['a sync is running', [run(2, 1), run(1, null)], 2_000],
])('is read again after some seconds if %s', (_, runs, ms) => {
  const state = runs && { lanes: new Map([['CL', lane(...runs)]]), next: {}, revision: 1, now }
  expect(timelineIntervalMs(state)).toBe(ms)
})

it.each([
  [1, 60, 10],
  [24, 24 * 60, 4 * 60],
] as const)('the last %i h also show the time ahead', (hours, minutesBefore, minutesAfter) => {
  const { from, to } = periodOf(now, hours)
  expect([Date.parse(now) - from, to - Date.parse(now)]).toEqual([
    minutesBefore * 60_000,
    minutesAfter * 60_000,
  ])
  expect(placeOfTime({ from, to }, Date.parse(now))).toBeCloseTo(6 / 7)
})

describe('an outage', () => {
  const failed = { status: 'failed' } as const
  const runs = [
    run(9, 8, failed),
    run(7, 6),
    run(5, 4.5, failed),
    run(4, 3.5, { status: 'cancelled' }),
    run(3, 2, failed),
  ]

  it('lasts as long as no run is published', () => {
    const ago = (hours: number) => Date.parse(now) - hours * hour
    expect(outagesOf({ runs })).toEqual([
      { from: ago(9), to: ago(8), runs: 1 },
      { from: ago(5), to: ago(2), runs: 2 },
    ])
    const refused = run(1.5, 1, { status: 'refused' })
    expect(outagesOf({ runs: [run(3, 2, failed), refused, run(1, 0.5, failed)] })).toHaveLength(2)
  })

  it('of several entities at the same time is one', () => {
    const other = { entity: 'AD', runs: [run(4, 3, failed), run(2, 1, failed)] }
    const earlier = { entity: 'EX', runs: [run(20, 19, failed), run(18, 17, failed)] }
    expect(outageTexts([lane(...runs), other, earlier], period.from)).toEqual([
      expect.stringMatching(/^Nov 2\d, \S+ to Nov 2\d, \S+ \(4 h\): 4 runs of 2 entities failed\.$/),
      expect.stringMatching(/ \(3 h\): 2 runs of EX failed\.$/),
    ])
    expect(outageTexts([earlier], Date.parse(now))).toEqual([])
  })

  it('of one entity, between whose runs one published, is of one entity', () => {
    const close = lane(run(3, 2.9, failed), run(2.9, 2.85), run(2.85, 2.8, failed))
    expect(outageTexts([close], period.from)).toEqual([expect.stringMatching(/: 2 runs of CL failed\.$/)])
  })

  it('lasts until the last of its runs has ended, which may have begun before another one', () => {
    const long = { entity: 'AD', runs: [run(4, 1, failed)] }
    const short = { entity: 'EX', runs: [run(3, 2.9, failed)] }
    expect(outageTexts([long, short], period.from)).toEqual([expect.stringContaining('(3 h): 2 runs')])
  })

  it('is not one run that failed', () => {
    const once = (entity: string, from: number) => ({ entity, runs: [run(from, from - 0.01, failed)] })
    expect(outageTexts([once('CL', 2)], period.from)).toEqual([])
    expect(outageTexts([once('CL', 2), once('AD', 1.5)], period.from)).toEqual([])
    expect(outageTexts([once('CL', 2), once('AD', 1.9)], period.from)).toEqual([
      expect.stringContaining(': 2 runs of 2 entities failed.'),
    ])
  })
})
