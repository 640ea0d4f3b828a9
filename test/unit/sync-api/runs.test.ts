import { beforeEach, describe, expect, it } from 'vitest'
import { progressOfRun } from '../../../stored/run/attempts.ts'
import { failed, publishing, waiting } from '../../../stored/run/run-changes.ts'
import type { Split } from '../../../stored/run/split.ts'
import { ranges, SyncApiTestbed } from './sync-api-testbed.ts'

let testbed: SyncApiTestbed

beforeEach(() => {
  testbed = new SyncApiTestbed()
})

describe('GET /syncs/{entity}/runs/{runId}', () => {
  it('has the progress of an active run by its committed pages', async () => {
    const { runId } = await testbed.startedRun()
    await testbed.state.commitPage({ runId, attempt: 1 }, testbed.pageOf(10), testbed.now)
    expect(await testbed.readRun(runId)).toMatchObject({
      status: 200,
      body: {
        status: 'running',
        documents: 10,
        total: 50,
        percent: 20,
        pages: 1,
        updatedAt: new Date(testbed.now + 90_000).toISOString(),
      },
    })
  })

  it('has the progress of each range, also of a run that has ended', async () => {
    const { runId, run } = await testbed.startedRun()
    const ranged = await testbed.state.writeRun({ ...run, split: ranges })
    await testbed.state.commitPage({ runId, range: 1, attempt: 1 }, testbed.pageOf(10), testbed.now)
    const range = { attempt: 1, suspect: false }
    const partitions = [
      { ...range, where: 'dated', documents: 10, total: 50 },
      { ...range, where: 'undated', documents: 0, total: null },
    ]
    expect((await testbed.readRun(runId)).body).toMatchObject({ documents: 10, total: 80, partitions })
    await testbed.state.writeRun(
      failed(ranged, {
        reason: 'Why.',
        progress: await progressOfRun(testbed.state, ranged),
        now: testbed.now,
      }),
    )
    expect(await testbed.requestsOf(() => testbed.readRun(runId))).toEqual(['get'])
    expect((await testbed.readRun(runId)).body).toMatchObject({ status: 'failed', documents: 10, partitions })
  })

  it.each<[string, Split | undefined, number | undefined]>([
    ['without partitions', undefined, undefined],
    ['in ranges', ranges, 1],
  ])('of a run that ended %s needs no page', async (_, split, range) => {
    const { runId, run } = await testbed.startedRun()
    await testbed.state.writeRun({ ...run, split: split ?? run.split })
    const attempt = { runId, attempt: 1, ...(range !== undefined && { range }) }
    await testbed.state.commitPage(attempt, testbed.pageOf(10), testbed.now)
    await testbed.cancel(runId)
    expect(await testbed.requestsOf(() => testbed.readRun(runId))).toEqual(['get'])
    expect((await testbed.readRun(runId)).body).toMatchObject({ documents: 10, pages: 1 })
  })

  it.each(['20260101T000000000Z-0123456789ab', 'nothing'])('is a 404 for %s', async (runId) => {
    expect(await testbed.readRun(runId)).toMatchObject({
      status: 404,
      body: {
        type: 'urn:longshore:problem:not-found',
        detail: 'This run does not exist. Runs are kept for 30 days after they end.',
      },
    })
  })

  it('of a malformed id reads nothing, since it may be longer than a key', async () =>
    expect(await testbed.requestsOf(() => testbed.readRun('x'.repeat(2_000)))).toEqual([]))
})

describe('DELETE /syncs/{entity}/runs/{runId}', () => {
  it('cancels the run, keeps its progress and stops its execution', async () => {
    const { runId } = await testbed.startedRun()
    await testbed.state.commitPage({ runId, attempt: 1 }, testbed.pageOf(10), testbed.now)
    testbed.now += 5_000
    expect(await testbed.cancel(runId)).toMatchObject({
      status: 202,
      body: {
        runId,
        status: 'cancelled',
        reason: 'Cancelled by a caller.',
        endedAt: new Date(testbed.now).toISOString(),
        documents: 10,
        pages: 1,
      },
    })
    expect(testbed.stopped).toEqual([{ arn: `arn:execution:${runId}`, cause: 'The run was cancelled.' }])
    expect(testbed.logs).toEqual([])
    expect((await testbed.start()).status).toBe(202)
  })

  it('cancels a run although the response of the write was lost and the client repeated it', async () => {
    const { runId } = await testbed.startedRun()
    testbed.repeatNextWrite()
    expect(await testbed.cancel(runId)).toMatchObject({ status: 202, body: { status: 'cancelled' } })
    expect(testbed.stopped).toHaveLength(1)
    expect(await testbed.state.readEntity('CL')).not.toHaveProperty('lease')
  })

  it('cancels a run that waits', async () => {
    const { runId, run } = await testbed.startedRun()
    await testbed.state.writeRun(
      waiting(run, { for: 'platform', reason: 'Throttled.', waitMs: 0, now: testbed.now }),
    )
    expect((await testbed.cancel(runId)).status).toBe(202)
  })

  it('stops nothing for a run that no state machine drives', async () => {
    const run = testbed.runAt(0)
    await testbed.state.createRun(run)
    expect((await testbed.cancel(run.runId)).status).toBe(202)
    expect(testbed.stopped).toEqual([])
  })

  it('cancels the run even if its execution cannot be stopped, and logs why', async () => {
    const { runId } = await testbed.startedRun()
    testbed.stateMachineError = new Error('Step Functions is unavailable')
    expect(await testbed.cancel(runId)).toMatchObject({ status: 202, body: { status: 'cancelled' } })
    expect(testbed.logs).toEqual([
      {
        level: 'ERROR',
        message: 'cannot stop the execution of a cancelled run',
        fields: {
          entity: 'CL',
          runId,
          error: expect.objectContaining({ message: 'Step Functions is unavailable' }),
        },
      },
    ])
  })

  it('is a 409 while the run is being published, which keeps its lease', async () => {
    const { runId, run } = await testbed.startedRun()
    await testbed.state.writeRun(publishing(run, {} as never, testbed.now))
    expect(await testbed.cancel(runId)).toMatchObject({
      status: 409,
      body: {
        type: 'urn:longshore:problem:run-ended',
        detail: 'The run is complete and is being published, which cannot be stopped.',
        runId,
        runStatus: 'publishing',
      },
    })
    expect(testbed.stopped).toEqual([])
    expect((await testbed.start()).status).toBe(409)
  })

  it('is a 409 once the run has ended', async () => {
    const { runId } = await testbed.startedRun()
    await testbed.cancel(runId)
    const { runId: next } = await testbed.startedRun()
    expect(await testbed.requestsOf(() => testbed.cancel(runId))).not.toContain('put')
    expect(await testbed.cancel(runId)).toMatchObject({
      status: 409,
      body: { detail: 'The run has already ended with the status cancelled.', runId, runStatus: 'cancelled' },
    })
    expect((await testbed.state.readEntity('CL')).lease?.runId).toBe(next)
    expect(testbed.stopped).toHaveLength(1)
  })

  it('is a 404 for a run of an entity that is not configured', async () =>
    expect((await testbed.cancel(testbed.runAt(0).runId, 'ZZ')).status).toBe(404))
})
