import { beforeEach, describe, expect, it } from 'vitest'
import { newRun, newRunId } from '../../../stored/run/run.ts'
import { entityNamed } from '../../entity-named.ts'
import { directRequest, stepRequest, throttled, WorkerTestbed } from './worker-testbed.ts'

const minute = 60_000
const day = 24 * 60 * minute
let testbed: WorkerTestbed

beforeEach(() => {
  testbed = new WorkerTestbed()
})

describe('a run whose item', () => {
  it.each([
    ['the state machine', () => testbed.next()],
    ['a direct invocation', () => directRequest],
  ])('has expired is not begun again by %s', async (_, request) => {
    const runId = newRunId(testbed.now - 40 * day)
    const lease = { runId, worker: 'gone', until: testbed.now - 1, handedOff: false, direct: false }
    await testbed.state.claimLease('CL', {}, { lease, abandonedRuns: [] })
    expect(await testbed.step(request())).toMatchObject({ status: 'published' })
    expect(await testbed.runOf(runId)).toBeUndefined()
  })

  it('ended already is not ended or reported again', async () => {
    const ended = (await testbed.step()).runId ?? ''
    testbed.now += minute
    const lease = { runId: 'gone', worker: 'gone', until: testbed.now, handedOff: false, direct: false }
    await testbed.state.claimLease('CL', {}, { lease, abandonedRuns: [ended] })
    await testbed.step(testbed.next())
    expect(await testbed.runOf(ended)).toMatchObject({ status: 'published', abandoned: false })
    expect(testbed.logged('run ended').filter(({ fields }) => fields['runId'] === ended)).toHaveLength(1)
  })

  it('was written by a newer release fails with what to do', async () => {
    const request = testbed.next()
    const { runId } = request.driver
    const item = { pk: 'entity#CL', sk: `run#${runId}`, version: 99 }
    await testbed.dynamodb.write({ kind: 'put', item, condition: {} })
    expect(await testbed.step(request)).toEqual({
      status: 'failed',
      withoutRun: true,
      entity: 'CL',
      runId,
      reason: expect.stringMatching(/version is 99.*deploy the release/) as string,
    })
  })

  it('was created by the API is skipped if another run is in progress', async () => {
    testbed.respond = (request) => (request === 1 ? throttled : undefined)
    const running = testbed.next()
    await testbed.step(running)
    const request = stepRequest(newRunId(testbed.now + 1))
    const { runId } = request.driver
    const entity = testbed.entity
    await testbed.state.createRun(
      newRun({ runId, entity, acceptShrink: false, execution: undefined, now: testbed.now }),
    )
    const reason = `Run ${running.driver.runId} of this entity is in progress.`
    expect(await testbed.step(request)).toMatchObject({ status: 'skipped', runId, reason })
    expect(await testbed.runOf(runId)).toMatchObject({ status: 'skipped', execution: 'arn:execution' })
    expect(await testbed.state.readEntity('CL')).toMatchObject({ lease: { runId: running.driver.runId } })
  })
})

const claim = async (runId: string) => {
  const seen = await testbed.state.readEntity('CL')
  const lease = { runId, worker: 'other', until: testbed.now + minute, handedOff: true, direct: false }
  await testbed.state.claimLease('CL', seen, { lease, abandonedRuns: [] })
}

it('a run that is skipped although a worker has continued it is ended by the run in progress if it is publishing', async () => {
  const request = await testbed.crashedAtWrite('latest.json')
  await claim('other')
  expect(await testbed.step(request)).toEqual({
    status: 'waiting',
    entity: 'CL',
    runId: request.driver.runId,
    reason: 'Run other of this entity is in progress.',
    waitSeconds: 15,
  })
  expect(await testbed.runOf(request.driver.runId)).toMatchObject({ status: 'publishing' })
})

it('an entity without configuration is released if the API claimed it for a run that it did not create', async () => {
  const request = testbed.next()
  const { runId } = request.driver
  const lease = { runId, worker: 'api', until: testbed.now + minute, handedOff: true, direct: false }
  await testbed.state.claimLease('CL', {}, { lease, abandonedRuns: [] })
  testbed.entity = entityNamed('AD')
  await testbed.step(directRequest)
  expect(await testbed.state.readEntity('CL')).toHaveProperty('lease')
  await testbed.step(request)
  expect(await testbed.state.readEntity('CL')).not.toHaveProperty('lease')
})
