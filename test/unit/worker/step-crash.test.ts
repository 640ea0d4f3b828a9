import { beforeEach, describe, expect, it } from 'vitest'
import { entityNamed } from '../../entity-named.ts'
import { failureOf } from '../../worker-requests.ts'
import { directRequest, throttled, WorkerTestbed } from './worker-testbed.ts'

const minute = 60_000
let testbed: WorkerTestbed

beforeEach(() => {
  testbed = new WorkerTestbed()
})

describe('a worker that crashed while it published', () => {
  it('is continued by the next run if the worker is gone', async () => {
    const abandoned = await testbed.crashedAtWrite('latest.json')
    testbed.now += 6 * minute
    const request = testbed.next()
    expect(await testbed.step(request)).toMatchObject({ status: 'published' })
    expect(await testbed.runOf(abandoned.driver.runId)).toMatchObject({
      status: 'published',
      abandoned: true,
    })
    expect(testbed.logged('run ended').map(({ fields }) => fields['runId'])).toEqual([
      abandoned.driver.runId,
      request.driver.runId,
    ])
    expect((await testbed.state.readEntity('CL')).abandonedRuns).toBeUndefined()
  })

  it('has not failed if it continued while the next run settled it', async () => {
    const abandoned = await testbed.crashedAtWrite('latest.json')
    testbed.now += 6 * minute
    const readRun = testbed.state.readRun.bind(testbed.state)
    const endRun = testbed.state.endRun.bind(testbed.state)
    testbed.state.readRun = async (entity, runId) => {
      const run = await readRun(entity, runId)
      if (run?.runId !== abandoned.driver.runId || run.status !== 'publishing') return run
      const { result: _, ...before } = run
      return { ...before, status: 'running' }
    }
    testbed.state.endRun = (...end) => {
      Object.assign(testbed.state, { readRun, endRun })
      return endRun(...end)
    }
    expect(await testbed.step(testbed.next())).toMatchObject({ status: 'published' })
    expect(await testbed.runOf(abandoned.driver.runId)).toMatchObject({
      status: 'published',
      abandoned: true,
    })
  })

  it('has published if its entity was removed from the configuration after that', async () => {
    const request = await testbed.crashedIn(testbed.state, 'setLatest')
    testbed.entity = entityNamed('AD')
    expect(await testbed.step(request)).toMatchObject({
      status: 'published',
      manifest: `snapshots/CL/${request.driver.runId}/manifest.json`,
    })
    expect(await testbed.runOf(request.driver.runId)).toMatchObject({ documents: 3, pages: 2, total: 3 })
  })

  it.each([
    ['the first snapshot', 0],
    ['a later one', 1],
  ])('has failed if its entity was removed from the configuration before %s', async (_, earlier) => {
    await testbed.publishDaily(earlier)
    const request = await testbed.crashedAtWrite('latest.json')
    testbed.entity = entityNamed('AD')
    // A request of the worker that crashed may still be on its way.
    const waiting = { status: 'waiting', runId: request.driver.runId, waitSeconds: 15 }
    expect(await testbed.step(request)).toMatchObject(waiting)
    testbed.now += 5 * minute - 1
    expect(await testbed.step(request)).toMatchObject(waiting)
    testbed.now += 1
    expect(await testbed.step(request)).toMatchObject({ status: 'failed' })
  })

  it('has failed at once if the state machine has given it up', async () => {
    const request = await testbed.crashedAtWrite('latest.json')
    testbed.entity = entityNamed('AD')
    expect(await testbed.step(failureOf(request, 'States.Timeout'))).toMatchObject({ status: 'failed' })
  })

  it('fails if a newer run has published first', async () => {
    testbed.publisher.publish = async () => ({ kind: 'superseded', by: 'newer' })
    expect(await testbed.step()).toMatchObject({
      status: 'failed',
      reason: 'The newer run newer has published in the meantime.',
    })
    expect(testbed.events).toMatchObject([{ type: 'Sync Failed' }])
  })
})

it('a worker that crashed while it scrolled leaves a run that a direct invocation continues later', async () => {
  testbed.respond = (request) => (request === 2 ? throttled : undefined)
  const { runId } = await testbed.step(directRequest)
  testbed.now += 5 * minute
  expect(await testbed.step(directRequest)).toMatchObject({ status: 'published', runId })
  expect((await testbed.runOf(runId ?? ''))?.execution).toBeUndefined()
})
