import { beforeEach, describe, expect, it } from 'vitest'
import { newRunId } from '../../../stored/run/run.ts'
import { entityNamed } from '../../entity-named.ts'
import { callsOf, withCall } from '../store-calls.ts'
import { directRequest, stepRequest, throttled, WorkerTestbed } from './worker-testbed.ts'

const minute = 60_000
let testbed: WorkerTestbed

beforeEach(() => {
  testbed = new WorkerTestbed()
})

describe('a start while another run is in progress', () => {
  const holder = () => stepRequest(newRunId(testbed.now - minute))

  beforeEach(() => {
    testbed.respond = (request) => (request === 1 ? throttled : undefined)
  })

  it('is skipped and recorded if the state machine made it', async () => {
    const running = holder()
    await testbed.step(running)
    const request = testbed.next()
    const reason = `Run ${running.driver.runId} of this entity is in progress.`
    expect(await testbed.step(request)).toMatchObject({
      status: 'skipped',
      runId: request.driver.runId,
      reason,
    })
    expect(await testbed.runOf(request.driver.runId)).toMatchObject({
      status: 'skipped',
      reason,
      execution: 'arn:execution',
      documents: 0,
    })
    expect(await testbed.step(request)).toMatchObject({ status: 'skipped', reason })
  })

  it('is skipped with the id of the running run if a person made it', async () => {
    const running = holder()
    await testbed.step(running)
    expect(await testbed.step(directRequest)).toEqual({
      status: 'skipped',
      withoutRun: true,
      entity: 'CL',
      runId: running.driver.runId,
      reason: `Run ${running.driver.runId} of this entity is in progress.`,
    })
  })
  it('ends a run whose worker stopped before it created the run', async () => {
    const abandoned = newRunId(testbed.now)
    const worker = 'gone'
    const until = testbed.now + 1
    const lease = { runId: abandoned, worker, until, handedOff: true, direct: false }
    await testbed.state.claimLease('CL', {}, { lease, abandonedRuns: [] })
    testbed.now += minute
    testbed.respond = () => undefined
    await testbed.step(testbed.next())
    expect(await testbed.runOf(abandoned)).toMatchObject({
      status: 'failed',
      abandoned: true,
      reason: 'The worker stopped before the run began. Start the sync again.',
    })
  })
})

describe('a worker that loses its run', () => {
  it('waits 15 seconds while another worker has it', async () => {
    const request = testbed.next()
    testbed.requestMs = 30_000
    testbed.respond = (number) => {
      if (number === 1) {
        testbed.respond = () => undefined
        other = testbed.step(request)
      }
      return undefined
    }
    let other: Promise<unknown> | undefined
    const response = await testbed.step(request)
    expect(response).toMatchObject({ status: 'waiting', runId: request.driver.runId, waitSeconds: 15 })
    expect(await other).toMatchObject({ status: 'published' })
  })
})

describe('an entity that is not configured', () => {
  const reason = "The entity 'CL' is not configured. Configured entities: AD."

  it('has not failed if a worker of an earlier deployment has published meanwhile, wherever that stops', async () => {
    const begin = async () => {
      testbed = new WorkerTestbed()
      const { entity } = testbed
      testbed.respond = (number) => (number === 2 ? throttled : undefined)
      const request = testbed.next()
      await testbed.step(request)
      testbed.entity = entityNamed('AD')
      const earlier = () => {
        testbed.entity = entity
        return testbed.step(request)
      }
      return { runId: request.driver.runId, end: () => testbed.step(request), earlier }
    }
    const callsIn = async (of: 'end' | 'earlier') => {
      const begun = await begin()
      return callsOf(testbed, begun[of])
    }
    const [calls, earlierCalls] = [await callsIn('end'), await callsIn('earlier')]
    for (let call = 1; call <= calls; call++)
      for (const stop of Array.from({ length: earlierCalls }, (_, index) => index + 1)) {
        const { runId, end, earlier } = await begin()
        const work = () => withCall(testbed, { call: stop, happens: { kind: 'crash' } }, earlier)
        await withCall(testbed, { call, happens: { kind: 'rival', work } }, end)
        const latest = await testbed.snapshots.readLatest('CL')
        const status = (await testbed.runOf(runId))?.status
        expect(latest !== undefined && status === 'failed').toBe(false)
      }
  })

  it('has no run to work on', async () => {
    testbed.entity = entityNamed('AD')
    const noRun = { status: 'failed', withoutRun: true, entity: 'CL', runId: null, reason }
    expect(await testbed.step()).toEqual(noRun)
    expect(await testbed.step(testbed.next())).toEqual(noRun)
    testbed.entities = () => []
    const none = "The entity 'CL' is not configured. Configured entities: none."
    expect(await testbed.step()).toEqual({ ...noRun, reason: none })
  })

  it('ends its run if it was removed while the run was in progress', async () => {
    testbed.respond = (request) => (request === 2 ? throttled : undefined)
    const request = testbed.next()
    await testbed.step(request)
    testbed.entity = entityNamed('AD')
    const failed = { status: 'failed', runId: request.driver.runId, reason, documents: 2 }
    expect(await testbed.step(request)).toMatchObject(failed)
    expect(await testbed.step(request)).toMatchObject(failed)
    expect(await testbed.state.readEntity('CL')).not.toHaveProperty('lease')
    expect(testbed.events).toMatchObject([
      { type: 'Sync Failed', detail: { runId: request.driver.runId, reason } },
    ])
  })
})
