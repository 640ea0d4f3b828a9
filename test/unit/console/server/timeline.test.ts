import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTimeline } from '../../../../console/server/data/timeline.ts'
import type { Run } from '../../../../functions/state/run/run.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const start = Date.parse('2026-11-21T12:00:00Z')
const minute = 60_000
const day = 86_400_000

/** A table with runs of entities, which counts what is read from it. */
function world(entities: readonly string[]) {
  const runs = new Map(entities.map((entity) => [entity, [] as Run[]]))
  const calls: string[] = []
  /** How many runs each query asked for. */
  const limits: number[] = []
  const paused = new Set<string>()
  /** Of the next queries. */
  const failures: Error[] = []
  let now = start
  const idOf = (time: number) => `${new Date(time).toISOString().replaceAll(/[-:.]/g, '')}-0123456789ab`
  return {
    calls,
    limits,
    paused,
    failures,
    timeline: createTimeline({
      entities,
      now: () => now,
      readNext: async () => (entity) => ({
        nextWith: (pause) => (pause ? { kind: 'paused' } : { kind: 'run', at: `after ${entity}` }),
        deployed: undefined,
      }),
      state: {
        async readEntities(names: readonly string[]) {
          calls.push(`entities ${names.length}`)
          return names.map((name) => ({
            ...(paused.has(name) && { pause: { by: 'ana', since: '', reason: null, until: null } }),
            recentRuns: (runs.get(name) ?? [])
              .slice(-3)
              .map(({ runId }) => runId)
              .toReversed(),
          }))
        },
        async readRuns(keys: readonly { entity: string; runId: string }[]) {
          calls.push(`runs ${keys.length}`)
          return keys.flatMap(
            ({ entity, runId }) => runs.get(entity)?.find((one) => one.runId === runId) ?? [],
          )
        },
        async listRuns(entity: string, limit: number, before = '9') {
          calls.push('query')
          limits.push(limit)
          const failure = failures.shift()
          if (failure) throw failure
          return (runs.get(entity) ?? [])
            .filter(({ runId }) => runId < before)
            .toReversed()
            .slice(0, limit)
        },
      } as unknown as Parameters<typeof createTimeline>[0]['state'],
    }),
    /** Adds a run that began some minutes after the start, or replaces it. */
    put: (entity: string, minutes: number, change: object = {}) => {
      const time = start + minutes * minute
      const run = {
        runId: idOf(time),
        entity,
        status: 'published',
        startedAt: new Date(time).toISOString(),
        endedAt: new Date(time + minute).toISOString(),
        documents: 95,
        ...change,
      } as unknown as Run
      const others = (runs.get(entity) ?? []).filter(({ runId }) => runId !== run.runId)
      runs.set(
        entity,
        [...others, run].toSorted((one, other) => (one.runId < other.runId ? -1 : 1)),
      )
      return run.runId
    },
    pass: (minutes: number) => {
      now += minutes * minute
      // Responses of the last second are shared.
      vi.setSystemTime(Date.now() + 950)
    },
  }
}

const running = { status: 'running', endedAt: undefined, documents: undefined }

describe('the timeline', () => {
  it('reads the runs of a day, oldest first, and leaves out older and skipped ones', async () => {
    const { timeline, put } = world(['CL', 'AD'])
    put('CL', -day / minute - 2)
    const ids = [put('CL', -60), put('CL', -30, { status: 'failed' })]
    put('CL', -20, { status: 'skipped' })
    const last = put('CL', -1, running)
    const { entities, lanes, now } = await timeline.read(24, 0)
    expect([entities, now]).toEqual([['CL', 'AD'], '2026-11-21T12:00:00.000Z'])
    expect(lanes.map(({ entity, runs }) => [entity, runs.map(({ runId }) => runId)])).toEqual([
      ['CL', [...ids, last]],
    ])
    expect(lanes[0]?.runs[1]).toEqual({
      runId: ids[1],
      status: 'failed',
      startedAt: '2026-11-21T11:30:00.000Z',
      endedAt: '2026-11-21T11:31:00.000Z',
      documents: 95,
    })
    expect(lanes[0]?.runs[2]).toMatchObject({ status: 'running', endedAt: null, documents: null })
  })

  it('reads a period again whose query has failed', async () => {
    const { timeline, put, failures } = world(['CL'])
    // More than the entity names.
    for (let run = 1; run <= 5; run++) put('CL', -60 * run)
    failures.push(new Error('throttled'))
    await expect(timeline.read(24, 0)).rejects.toThrow('throttled')
    expect((await timeline.read(24, 0)).lanes[0]?.runs).toHaveLength(5)
  })

  it('names when schedules start the next runs, but not those of a paused entity', async () => {
    const { timeline, paused } = world(['CL', 'AD'])
    paused.add('AD')
    expect((await timeline.read(24, 0)).next).toEqual({ CL: 'after CL' })
  })

  it('queries 400 entities once, and then reads what has changed by key', async () => {
    const names = Array.from({ length: 400 }, (_, index) => `E${index}`)
    const { timeline, put, pass, calls } = world(names)
    for (const name of names) put(name, -60)
    const first = await timeline.read(24, 0)
    expect(first.lanes).toHaveLength(400)
    expect(calls.filter((call) => call === 'query')).toHaveLength(400)
    calls.length = 0
    pass(1)
    put('E7', 0, running)
    const second = await timeline.read(24, first.revision)
    expect(calls).toEqual(['entities 400', 'runs 1'])
    expect(second.lanes.map(({ entity, runs }) => [entity, runs.length])).toEqual([['E7', 2]])
    calls.length = 0
    pass(1)
    put('E7', 0)
    const third = await timeline.read(24, second.revision)
    expect(calls).toEqual(['entities 400', 'runs 1'])
    expect(third.lanes[0]?.runs[1]).toMatchObject({ status: 'published', documents: 95 })
    calls.length = 0
    pass(1)
    expect((await timeline.read(24, third.revision)).lanes).toEqual([])
    expect(calls).toEqual(['entities 400'])
  })

  it('queries no entity whose last runs, which it names, reach back to the beginning', async () => {
    const names = Array.from({ length: 400 }, (_, index) => `E${index}`)
    const { timeline, put, pass, calls } = world(names)
    for (const name of names) for (const days of [0, 1, 2, 3]) put(name, -60 - (days * day) / minute)
    const { lanes } = await timeline.read(24, 0)
    expect(lanes.map(({ runs }) => runs.length)).toEqual(names.map(() => 1))
    expect(calls).toEqual(['entities 400', 'runs 1200'])
    calls.length = 0
    pass(1)
    expect((await timeline.read(168, 0)).lanes[399]?.runs).toHaveLength(4)
    expect(calls.filter((call) => call === 'query')).toHaveLength(400)
  })

  it('asks a query for as many runs as the period has at the pace of the last ones', async () => {
    for (const [minutes, hours, expected] of [
      [360, 168, 30],
      [60, 168, 170],
      [1, 168, 1_000],
      [360, 24, 10],
    ] as const) {
      const { timeline, put, limits } = world(['CL'])
      for (let index = 1; index <= 3; index++) put('CL', -minutes * index)
      await timeline.read(hours, 0)
      expect([minutes, hours, limits[0]]).toEqual([minutes, hours, expected])
    }
  })

  it('reads a week on request, and nothing again for a day after that', async () => {
    const { timeline, put, calls } = world(['CL'])
    for (let index = 1; index <= 250; index++) put('CL', -30 * index)
    const today = await timeline.read(24, 0)
    expect(today.lanes[0]?.runs).toHaveLength(48)
    expect(calls).toEqual(['entities 1', 'runs 3', 'query'])
    calls.length = 0
    expect((await timeline.read(168, 0)).lanes[0]?.runs).toHaveLength(250)
    expect(calls).toEqual(['query'])
    calls.length = 0
    expect((await timeline.read(24, 0)).lanes[0]?.runs).toHaveLength(48)
    expect(calls).toEqual([])
  })

  it('finds runs between its requests of which the entity names only the last ones', async () => {
    const { timeline, put, pass } = world(['CL'])
    put('CL', -60)
    const { revision } = await timeline.read(24, 0)
    for (let minutes = 1; minutes <= 9; minutes++) put('CL', minutes)
    pass(10)
    expect((await timeline.read(24, revision)).lanes[0]?.runs).toHaveLength(10)
  })

  it('reads only what is new where runs may be missing', async () => {
    const { timeline, put, pass, calls } = world(['CL'])
    for (let index = 1; index <= 250; index++) put('CL', -30 * index)
    const { revision } = await timeline.read(168, 0)
    for (let minutes = 1; minutes <= 9; minutes++) put('CL', minutes)
    pass(10)
    calls.length = 0
    expect((await timeline.read(168, revision)).lanes[0]?.runs.length).toBeGreaterThan(250)
    expect(calls).toEqual(['entities 1', 'runs 3', 'query'])
  })

  it('reads what is missing of a longer period, although a shorter one was read at once before', async () => {
    const { timeline, put, pass, calls } = world(['CL'])
    put('CL', -3 * 24 * 60)
    put('CL', -60)
    await timeline.read(24, 0)
    pass(1)
    calls.length = 0
    await timeline.read(24, 0)
    expect(calls).toEqual(['entities 1'])
    pass(1)
    calls.length = 0
    expect((await timeline.read(168, 0)).lanes[0]?.runs).toHaveLength(2)
    expect(calls).toEqual(['entities 1', 'query'])
  })

  it('ends a run that was accepted when it was refused', async () => {
    const { timeline, put } = world(['CL'])
    const refusedAt = new Date(start - 50 * minute).toISOString()
    put('CL', -60, { accepted: { refusedAt }, endedAt: new Date(start - minute).toISOString() })
    put('CL', -40, { status: 'refused', accepted: { refusedAt } })
    const [lane] = (await timeline.read(24, 0)).lanes
    expect(lane?.runs.map(({ endedAt }) => endedAt)).toEqual([
      refusedAt,
      new Date(start - 39 * minute).toISOString(),
    ])
  })

  it('shows a run that ended when the period began, and forgets it after a week', async () => {
    const { timeline, put, pass } = world(['CL'])
    put('CL', -24 * 60 - 1)
    put('CL', -60)
    const week = 7 * 24 * 60
    expect((await timeline.read(24, 0)).lanes[0]?.runs).toHaveLength(2)
    pass(1)
    expect((await timeline.read(24, 0)).lanes[0]?.runs).toHaveLength(1)
    pass(week)
    put('CL', week, running)
    expect((await timeline.read(168, 0)).lanes[0]?.runs).toHaveLength(1)
  })

  it('reports no entity whose runs did not change', async () => {
    const { timeline, put, pass } = world(['CL', 'AD'])
    put('CL', -60, running)
    put('AD', -60, running)
    const { revision } = await timeline.read(24, 0)
    pass(1)
    put('AD', -60)
    const { lanes } = await timeline.read(24, revision)
    expect(lanes.map(({ entity }) => entity)).toEqual(['AD'])
  })

  it('asks again after a failure', async () => {
    const { timeline, put, calls } = world(['CL'])
    put('CL', -60)
    const push = calls.push.bind(calls)
    calls.push = () => {
      calls.push = push
      throw new Error('throttled')
    }
    await expect(timeline.read(24, 0)).rejects.toThrow('throttled')
    expect((await timeline.read(24, 0)).lanes).toHaveLength(1)
  })
})
