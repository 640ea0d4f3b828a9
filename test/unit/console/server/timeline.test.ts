import { describe, expect, it } from 'vitest'
import { createTimeline } from '../../../../console/server/data/timeline.ts'
import type { Run } from '../../../../stored/run/run.ts'

const start = Date.parse('2026-11-21T12:00:00Z')
const minute = 60_000
const day = 86_400_000

/** A table with runs of entities, which counts what is read from it. */
function world(entities: readonly string[]) {
  const runs = new Map(entities.map((entity) => [entity, [] as Run[]]))
  const calls: string[] = []
  const paused = new Set<string>()
  /** Of the next queries. */
  const failures: Error[] = []
  let now = start
  const idOf = (time: number) => `${new Date(time).toISOString().replaceAll(/[-:.]/g, '')}-0123456789ab`
  return {
    calls,
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
        async listRuns(entity: string, limit: number, before = '9') {
          calls.push(`query ${entity} ${limit}`)
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

  it('queries each entity once, and then only those with a run that is new or had not ended', async () => {
    const { timeline, put, pass, calls } = world(['CL', 'AD', 'EX'])
    for (const name of ['CL', 'AD', 'EX']) put(name, -60)
    const readAgain = async (after: number) => {
      calls.length = 0
      pass(1)
      const { lanes, revision } = await timeline.read(24, after)
      return { calls: [...calls], lanes, revision }
    }
    const first = await readAgain(0)
    expect(first.lanes).toHaveLength(3)
    expect(first.calls).toEqual(['entities 3', 'query CL 10', 'query AD 10', 'query EX 10'])
    put('AD', 0, running)
    const second = await readAgain(first.revision)
    expect(second.calls).toEqual(['entities 3', 'query AD 10'])
    expect(second.lanes.map(({ entity, runs }) => [entity, runs.length])).toEqual([['AD', 2]])
    put('AD', 0)
    const third = await readAgain(second.revision)
    expect(third.calls).toEqual(['entities 3', 'query AD 10'])
    expect(third.lanes[0]?.runs[1]).toMatchObject({ status: 'published', documents: 95 })
    put('EX', 1, { status: 'skipped' })
    expect((await readAgain(third.revision)).calls).toEqual(['entities 3', 'query EX 10'])
    const last = await readAgain(third.revision + 1)
    expect([last.calls, last.lanes]).toEqual([['entities 3'], []])
  })

  it('queries an entity whose last run began long ago only once', async () => {
    const { timeline, put, pass, calls } = world(['CL'])
    put('CL', -30 * 24 * 60)
    await timeline.read(24, 0)
    pass(1)
    await timeline.read(24, 0)
    expect(calls).toEqual(['entities 1', 'query CL 10', 'entities 1'])
  })

  it('reads a week on request, and then only what is new, also more than the entity names', async () => {
    const { timeline, put, pass, calls } = world(['CL'])
    for (let index = 1; index <= 250; index++) put('CL', -30 * index)
    const runsOf = async (hours: number) => {
      calls.length = 0
      return (await timeline.read(hours, 0)).lanes[0]?.runs.length
    }
    expect(await runsOf(24)).toBe(48)
    expect(calls).toEqual(['entities 1', 'query CL 10', 'query CL 40'])
    expect(await runsOf(168)).toBe(250)
    expect(calls).toEqual(['entities 1', ...[10, 40, 160, 640].map((limit) => `query CL ${limit}`)])
    for (let minutes = 1; minutes <= 9; minutes++) put('CL', minutes)
    pass(10)
    expect(await runsOf(24)).toBe(56)
    expect(calls).toEqual(['entities 1', 'query CL 10'])
    for (let minutes = 11; minutes <= 30; minutes++) put('CL', minutes)
    pass(20)
    expect(await runsOf(24)).toBe(76)
    expect(calls).toEqual(['entities 1', 'query CL 10', 'query CL 40'])
    for (let half = 1; half <= 96; half++) put('CL', 30 + 30 * half)
    pass(48 * 60)
    expect(await runsOf(24)).toBe(49)
    expect(await runsOf(168)).toBe(364)
  })

  it('reads for several windows one after another', async () => {
    const { timeline, put } = world(['CL'])
    put('CL', -60)
    const [first, second] = await Promise.all([timeline.read(24, 0), timeline.read(24, 0)])
    expect([first.revision, second.revision, second.lanes.length]).toEqual([1, 2, 1])
  })

  it('finds the end of a run that began before others that have ended', async () => {
    const { timeline, put, pass } = world(['CL'])
    put('CL', -300, running)
    for (let index = 1; index <= 20; index++) put('CL', -index)
    await timeline.read(24, 0)
    put('CL', -300)
    pass(1)
    expect((await timeline.read(24, 0)).lanes[0]?.runs[0]).toMatchObject({ status: 'published' })
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

  it('shows a run that ended when the period began, and not after a week', async () => {
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
})
