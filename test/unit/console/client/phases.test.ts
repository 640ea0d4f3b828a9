import { describe, expect, it } from 'vitest'
import { phasesOf, phaseTones, speedPlot } from '../../../../console/client/model/phases.ts'
import type { LogRow, RunResponse, SpeedResponse } from '../../../../console/contract/run.ts'

const at = (seconds: number) =>
  new Date(Date.parse('2026-11-21T12:00:00.000Z') + seconds * 1000).toISOString()

const response = (run: object = {}, comparison: RunResponse['comparison'] = { kind: 'none' }) =>
  ({
    run: {
      status: 'published',
      startedAt: at(0),
      endedAt: at(20),
      pages: 10,
      proof: 'exact',
      uniqueIds: 95,
      reason: null,
      ...run,
    },
    comparison,
    now: at(60),
  }) as RunResponse
const speed: SpeedResponse = { firstPageAt: at(5), lastPageAt: at(15), speed: [] }
const line = (seconds: number, reason: string | null, message = 'scroll waiting') =>
  ({ timestamp: at(seconds), reason, message }) as LogRow
const set = { kind: 'changes', created: 1, updated: 2, deleted: 3 } as never

describe('the phases of a run', () => {
  it.each<[name: string, response: RunResponse, speed: SpeedResponse | undefined, phases: string[][]]>([
    [
      'that was published and compared',
      response({}, { kind: 'published', set }),
      speed,
      [
        ['Slot and first page', 'done', '5 s', ''],
        ['Scroll', 'done', '10 s', '10 pages, 1 pages/s'],
        ['Proof, guards and publication', 'done', '5 s', 'proof exact, 95 unique ids'],
        ['Comparison', 'done', '10 s', '+1 ~2 −3'],
      ],
    ],
    [
      'that was refused',
      response({ status: 'refused', reason: 'Why.' }),
      speed,
      [
        ['Slot and first page', 'done', '5 s', ''],
        ['Scroll', 'done', '10 s', '10 pages, 1 pages/s'],
        ['Proof, guards and publication', 'done', '5 s', 'a guard refused: Why.'],
      ],
    ],
    [
      'that failed while it scrolled',
      response({ status: 'failed' }),
      speed,
      [
        ['Slot and first page', 'done', '5 s', ''],
        ['Scroll', 'stopped', '15 s', '10 pages, 1 pages/s'],
      ],
    ],
    [
      'that is scrolling',
      response({ status: 'running', endedAt: null }),
      speed,
      [
        ['Slot and first page', 'done', '5 s', ''],
        ['Scroll', 'now', '55 s', '10 pages, 1 pages/s'],
      ],
    ],
    [
      'that is publishing',
      response({ status: 'publishing', endedAt: null }),
      speed,
      [
        ['Slot and first page', 'done', '5 s', ''],
        ['Scroll', 'done', '10 s', '10 pages, 1 pages/s'],
        ['Proof, guards and publication', 'now', '45 s', ''],
      ],
    ],
    [
      'that waits for a slot',
      response({ status: 'waiting', endedAt: null, pages: 0 }),
      { ...speed, firstPageAt: null, lastPageAt: null },
      [['Slot and first page', 'now', '1 min', '']],
    ],
    [
      'whose pages are not known',
      response({}, { kind: 'missing' }),
      undefined,
      [
        ['Scroll', 'done', '20 s', '10 pages'],
        ['Comparison', 'done', '10 s', 'none'],
      ],
    ],
    [
      'with one page',
      response({ pages: 1 }),
      { ...speed, lastPageAt: at(5) },
      [
        ['Slot and first page', 'done', '5 s', ''],
        ['Scroll', 'done', '0 s', '1 page'],
        ['Proof, guards and publication', 'done', '15 s', 'proof exact, 95 unique ids'],
      ],
    ],
  ])('%s', (...[, of, times, expected]) => {
    const lines = [line(30, null, 'comparison ended')]
    const phases = phasesOf({ response: of, speed: times, lines })
    expect(phases.map(({ name, state, duration, detail }) => [name, state, duration, detail])).toEqual(
      expected,
    )
  })

  it('end when the comparison ended, not with another line', () => {
    const lines = [line(30, null, 'comparison ended'), line(40, null, 'comparison started')]
    const phases = phasesOf({ response: response({}, { kind: 'pending' }), speed, lines })
    expect(phases.at(-1)).toMatchObject({ state: 'done', duration: '10 s' })
  })

  it('go on with the comparison until it has ended', () => {
    const phases = phasesOf({ response: response({}, { kind: 'pending' }), speed, lines: [] })
    expect(phases.at(-1)).toMatchObject({ state: 'now', duration: '40 s', detail: 'is being compared' })
  })

  it('have the waits and faults that fell into them', () => {
    const lines = [line(-1, 'early'), line(5, 'first'), line(14, null), line(15, 'late'), line(99, 'last')]
    const phases = phasesOf({ response: response(), speed, lines })
    expect(phases.map(({ events }) => events.map(({ reason }) => reason))).toEqual([
      ['early'],
      ['first'],
      ['late', 'last'],
    ])
  })
})

it('plots the pages per second of a run with more than one period', () => {
  const point = (seconds: number) => ({ at: at(seconds), pagesPerSecond: seconds })
  expect(speedPlot(undefined)).toBeUndefined()
  expect(speedPlot({ ...speed, speed: [point(1)] })).toBeUndefined()
  expect(speedPlot({ ...speed, speed: [point(1), point(2)] })).toEqual({
    title: 'Pages per second',
    shape: 'lines',
    unit: 'rate',
    axis: 'from-zero',
    times: [Date.parse(at(1)) / 1000, Date.parse(at(2)) / 1000],
    series: [{ label: 'Pages', color: '--accent', values: [1, 2] }],
    marks: [],
    reference: undefined,
  })
})

it('colors a phase by its state', () => {
  expect(phaseTones).toEqual({ done: 'good', now: 'active', stopped: 'warning' })
})
