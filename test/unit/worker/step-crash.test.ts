import { beforeEach, describe, expect, it } from 'vitest'
import { entityNamed } from '../../entity-named.ts'
import { failureOf } from '../../worker-requests.ts'
import { directRequest, failOnce, throttled, WorkerTestbed } from './worker-testbed.ts'

const minute = 60_000
let testbed: WorkerTestbed

beforeEach(() => {
  testbed = new WorkerTestbed()
})

describe('a worker that crashed while it published', () => {
  it.each([
    ['before the manifest was written', () => testbed.failWrite('manifest.json')],
    ['before the snapshot was published', () => testbed.failWrite('latest.json')],
    ['before the publication was recorded', () => failOnce(testbed.state, 'setLatest')],
  ])('is continued by one that publishes the same snapshot: %s', async (_, crash) => {
    const request = testbed.next()
    crash()
    await expect(testbed.step(request)).rejects.toThrow('down')
    expect(await testbed.runOf(request.driver.runId)).toMatchObject({ status: 'publishing' })
    const requests = testbed.targets.length
    expect(await testbed.step(request)).toMatchObject({
      status: 'published',
      suspect: false,
      documents: 3,
      pages: 2,
      total: 3,
    })
    expect(testbed.targets).toHaveLength(requests)
    // It was not compared with itself.
    expect(await testbed.runOf(request.driver.runId)).not.toHaveProperty('guarded.publishedIds')
    expect(await testbed.snapshots.readManifest('CL', request.driver.runId)).toMatchObject({
      documents: 3,
      pages: [{ documents: 2 }, { documents: 1 }],
    })
  })

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

  it('is not checked by the guards again after the snapshot was published', async () => {
    testbed.documents = []
    testbed.entity = entityNamed('CL', { allowEmpty: true })
    const request = await testbed.crashedIn(testbed.state, 'setLatest')
    testbed.entity = entityNamed('CL')
    expect(await testbed.step(request)).toMatchObject({ status: 'published' })
  })

  it('publishes the manifest that was written, although the items have expired since', async () => {
    const request = await testbed.crashedAtWrite('latest.json')
    for (const sk of ['page#000001', 'page#000002', 'page#000003']) {
      const key = { pk: `run#${request.driver.runId}#a1`, sk }
      await testbed.dynamodb.write({ kind: 'remove', key, condition: {} })
    }
    expect(await testbed.step(request)).toMatchObject({ status: 'published', documents: 3 })
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

describe('a worker that crashed while it scrolled', () => {
  it('is continued with a suspect attempt from the page that is committed', async () => {
    testbed.respond = (request) => {
      if (request === 2) throw new RangeError('out of memory')
      return undefined
    }
    const request = testbed.next()
    await expect(testbed.step(request)).rejects.toThrow('out of memory')
    expect(await testbed.step(request)).toMatchObject({ status: 'published', proof: 'exact', suspect: true })
    expect(testbed.targets.filter((target) => target.includes('_size'))).toHaveLength(1)
  })

  it('does not count as a crash loop while pages are committed in between', async () => {
    testbed.documents = Array.from({ length: 12 }, (_, id) => `{"id":${id}}`)
    testbed.respond = (request) => {
      if (request % 2 === 0 && request <= 12) throw new RangeError('out of memory')
      return undefined
    }
    const request = testbed.next()
    for (let worker = 1; worker <= 6; worker++)
      await expect(testbed.step(request)).rejects.toThrow('out of memory')
    expect(await testbed.step(request)).toMatchObject({ status: 'published', documents: 12 })
  })

  it('leaves a run that a direct invocation continues later', async () => {
    testbed.respond = (request) => (request === 2 ? throttled : undefined)
    const { runId } = await testbed.step(directRequest)
    testbed.now += 5 * minute
    expect(await testbed.step(directRequest)).toMatchObject({ status: 'published', runId })
    expect((await testbed.runOf(runId ?? ''))?.execution).toBeUndefined()
  })
})
