import { beforeEach, describe, expect, it } from 'vitest'
import { skipped } from '../../../stored/run/run-changes.ts'
import { mapRanges } from '../../../stored/run/split.ts'
import { ranges, SyncApiTestbed } from './sync-api-testbed.ts'

const noProgress = { documents: 0, pages: 0, total: undefined, rangeProgress: [] }
let testbed: SyncApiTestbed

beforeEach(() => {
  testbed = new SyncApiTestbed()
})

it('GET /syncs lists the configured entities with schedule, running run and published snapshot', async () => {
  const latest = {
    runId: testbed.runAt(-60).runId,
    manifest: 'm',
    publishedAt: '2026-02-28T00:00:00.000Z',
    documents: 5,
  }
  await testbed.state.setLatest('CL', latest)
  const { runId } = await testbed.startedRun()
  const { status, body } = await testbed.call('GET /syncs')
  expect(status).toBe(200)
  expect(body).toEqual({
    entities: [
      {
        entity: 'CL',
        schedule: 'rate(1 day)',
        timezone: 'UTC',
        enabled: true,
        pause: null,
        running: expect.objectContaining({ runId, status: 'running' }),
        snapshot: latest,
        runs: [expect.objectContaining({ runId })],
        increments: null,
      },
      {
        entity: 'AD',
        schedule: 'rate(1 day)',
        timezone: 'UTC',
        enabled: false,
        pause: null,
        running: null,
        snapshot: null,
        runs: [],
        increments: null,
      },
    ],
    problems: [],
    problemsAt: null,
  })
  const look = { problems: [], problemsAt: null }
  expect((await testbed.readSync()).body).toEqual({ ...body.entities[0], tip: null, table: null, ...look })
})

it('GET /syncs of a paused entity has the pause until its end', async () => {
  const at = (ms: number) => new Date(testbed.now + ms).toISOString()
  const pause = { by: 'user/ana', since: at(-1), reason: 'Migration.', until: at(60_000) }
  await testbed.state.setPause('CL', pause)
  expect((await testbed.readSync()).body).toMatchObject({ pause })
  expect((await testbed.call('GET /syncs')).body.entities[0]).toMatchObject({ pause })
  testbed.now += 60_000
  expect((await testbed.readSync()).body).toMatchObject({ pause: null })
})

describe('GET /syncs of running runs', () => {
  const scroll = { kind: 'page', page: 1, total: 50, attempt: 1 } as const

  /** The running run of CL, with what its worker recorded with the lease. */
  async function runningInRanges() {
    const begun = testbed.runAt(0)
    const split = mapRanges(ranges, (range) => ({ ...range, attemptStartedAt: begun.startedAt }))
    const run = { ...begun, split }
    await testbed.state.createRun(run)
    const lease = await testbed.lease(run.runId)
    const respondedAt = testbed.now + 10_000
    const scrolls = [
      { ...scroll, range: 0, documentsSoFar: 10, respondedAt },
      { ...scroll, range: 1, documentsSoFar: 20, respondedAt },
    ]
    await testbed.state.renewLease('CL', lease, { progress: { runId: run.runId, scrolls } })
    return run
  }
  const list = async () => (await testbed.call('GET /syncs')).body.entities[0]

  it('has the progress that the worker recorded, without a read of each range', async () => {
    const { runId } = await runningInRanges()
    await testbed.state.commitPage({ runId, range: 0, attempt: 1 }, testbed.pageOf(50), testbed.now)
    const { running, runs } = await list()
    expect(running).toMatchObject({
      documents: 30,
      total: 80,
      pages: 2,
      percent: 37,
      documentsPerSecond: 3,
      partitions: [{ documents: 20 }, { documents: 10 }],
    })
    expect(runs).toEqual([running])
    expect(await testbed.requestsOf(list)).toEqual(['batch', 'batch', 'batch'])
    expect((await testbed.readSync()).body.running).toMatchObject({ documents: 50 })
  })

  it('leaves out starts that were skipped, however many', async () => {
    const { runId } = await runningInRanges()
    for (let minute = 1; minute <= 3; minute++) await testbed.state.createRun(testbed.runAt(minute))
    expect(await list()).toMatchObject({ running: { runId, documents: 30 }, runs: [{ runId }] })
  })

  it('reads ended runs in ranges without their pages', async () => {
    const { runId } = await runningInRanges()
    await testbed.state.commitPage({ runId, range: 1, attempt: 1 }, testbed.pageOf(40), testbed.now)
    await testbed.cancel(runId)
    expect(await testbed.requestsOf(list)).toEqual(['batch', 'batch', 'batch'])
    expect((await list()).runs).toMatchObject([
      { status: 'cancelled', documents: 40, partitions: [{ documents: 40, total: 50 }, { documents: 0 }] },
    ])
  })
})

describe('GET /syncs/{entity}', () => {
  it('has the last ten runs, the newest first, and the list of all entities the last three', async () => {
    const runs = Array.from({ length: 12 }, (_, minute) => testbed.runAt(minute))
    for (const run of runs) {
      await testbed.state.createRun(run)
      await testbed.lease(run.runId)
      await testbed.state.release('CL', run.runId)
    }
    const newest = runs.map(({ runId }) => runId).toReversed()
    const idsOf = ({ runs }: { runs: { runId: string }[] }) => runs.map(({ runId }) => runId)
    expect(idsOf((await testbed.readSync()).body)).toEqual(newest.slice(0, 10))
    expect(idsOf((await testbed.call('GET /syncs')).body.entities[0])).toEqual(newest.slice(0, 3))
  })

  it('has the running run, however many starts were skipped since', async () => {
    const run = testbed.runAt(0)
    await testbed.state.createRun(run)
    await testbed.lease(run.runId)
    for (let minute = 1; minute <= 12; minute++) {
      const later = testbed.runAt(minute)
      await testbed.state.createRun(
        skipped(later, { reason: 'Why.', progress: noProgress, now: testbed.now }),
      )
    }
    expect((await testbed.readSync()).body.running).toMatchObject({ runId: run.runId, status: 'running' })
    await testbed.cancel(run.runId)
    await testbed.lease(run.runId)
    expect((await testbed.readSync()).body.running).toBeNull()
  })

  it('has no running run once the last one has ended', async () => {
    const { runId } = await testbed.startedRun()
    await testbed.cancel(runId)
    expect((await testbed.readSync()).body).toMatchObject({
      running: null,
      runs: [{ runId, status: 'cancelled' }],
    })
  })

  it('has no running run if the run of the lease has no item', async () => {
    await testbed.lease(testbed.runAt(0).runId)
    expect((await testbed.readSync()).body.running).toBeNull()
  })

  it('reads the run of the lease only if it is not listed', async () => {
    await testbed.cancel((await testbed.startedRun()).runId)
    await testbed.startedRun()
    // The entity, its runs, and the position of the running run, also where 1.0.0 had it.
    const requests = ['get', 'query', 'batch', 'query', 'query']
    expect(await testbed.requestsOf(() => testbed.readSync())).toEqual(requests)
  })
})

describe('the list of runs for the command line', () => {
  it('has as many runs as asked for, the newest first', async () => {
    const runs = [0, 1, 2].map((minute) => testbed.runAt(minute))
    for (const run of runs) await testbed.state.createRun(run)
    const listed = await testbed.syncs().listRuns('CL', 2)
    expect(listed.map(({ runId }) => runId)).toEqual([runs[2]?.runId, runs[1]?.runId])
  })

  it('is refused for an entity that is not configured', () =>
    expect(testbed.syncs().listRuns('ZZ', 2)).rejects.toThrow("The entity 'ZZ' is not configured."))
})
