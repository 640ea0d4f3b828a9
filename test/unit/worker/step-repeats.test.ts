import { beforeEach, describe, expect, it } from 'vitest'
import { CredentialsError } from '../../../functions/upstream/exchange.ts'
import type { DrivenRequest } from '../../../functions/worker/request.ts'
import type { StepResponse } from '../../../functions/worker/response.ts'
import { runView } from '../../../stored/views.ts'
import { failureOf } from '../../worker-requests.ts'
import { statusResponse, stepRequest, WorkerTestbed } from './worker-testbed.ts'

const minute = 60_000
let testbed: WorkerTestbed
let isAway: boolean

beforeEach(() => {
  testbed = new WorkerTestbed()
  isAway = true
  testbed.respond = () => (isAway ? statusResponse(503) : undefined)
})

function offered(response: StepResponse) {
  if (response.status !== 'failed' || !('repeat' in response) || !response.repeat)
    throw new Error(`No repeat was offered: ${JSON.stringify(response)}`)
  return response.repeat
}

/** The request with which the state machine repeats a run, after its wait. */
function repeatOf(response: StepResponse): DrivenRequest {
  const { runId, waitSeconds, ...repeat } = offered(response)
  testbed.now += waitSeconds * 1000
  const { driver, ...request } = stepRequest(runId)
  return { ...request, driver: { ...driver, repeat } }
}

describe('a run that failed because the platform was away', () => {
  it('is offered for a repeat by a new run 5, 15 and 60 minutes after its end, and not a fourth time', async () => {
    const responses = [await testbed.stepToEnd(testbed.next())]
    const waits: number[] = []
    for (let repeat = 0; repeat < 3; repeat++) {
      const last = responses.at(-1) as StepResponse
      waits.push(offered(last).waitSeconds)
      responses.push(await testbed.stepToEnd(repeatOf(last)))
    }
    expect(waits).toEqual([5 * 60, 15 * 60, 60 * 60])
    expect(responses.at(-1)).not.toHaveProperty('repeat')
    const runs = (await testbed.state.listRuns('CL', 10)).map((run) => runView(run, []))
    expect(runs.map(({ status, repeatOf }) => [status, repeatOf])).toEqual([
      ...Array.from({ length: 3 }, () => ['failed', runs[3]?.runId]),
      ['failed', null],
    ])
  })

  it.each([
    ['5xx', statusResponse(503)],
    ['a time-out', statusResponse(408)],
    ['a firewall', { status: 403, headers: {}, body: Buffer.from('<html>Blocked</html>') }],
  ])('is offered for a repeat if its last attempt ended in the middle with %s', async (_, response) => {
    testbed.respond = (_, { searchParams }) => (searchParams.has('_token') ? response : undefined)
    const failed = await testbed.stepToEnd(testbed.next())
    expect(failed).toMatchObject({ attempt: 3, reason: expect.stringMatching(/after 3 attempts.*8 times/s) })
    expect(offered(failed)).toMatchObject({ waitSeconds: 5 * 60 })
  })

  it('is offered the same repeat again when the state machine asks again', async () => {
    const request = testbed.next()
    const first = await testbed.stepToEnd(request)
    testbed.now += 2 * minute
    expect(offered(await testbed.step(request))).toEqual({ ...offered(first), waitSeconds: 3 * 60 })
  })

  it('publishes as a repeat once the platform is back, also over several steps', async () => {
    const request = repeatOf(await testbed.stepToEnd(testbed.next()))
    isAway = false
    testbed.stepMs = 0
    const { runId, repeat } = request.driver
    const running = await testbed.step(request)
    expect(running).toMatchObject({ status: 'running', runId, repeat: { runId, ...repeat } })
    testbed.stepMs = 780_000
    expect(await testbed.stepToEnd(request)).toMatchObject({ status: 'published', runId })
    expect(await testbed.runOf(runId)).toMatchObject({ status: 'published', repeat })
  })

  it('is not repeated if another run has begun meanwhile: the execution ends as the run did', async () => {
    const failed = await testbed.stepToEnd(testbed.next())
    const request = repeatOf(failed)
    isAway = false
    testbed.now -= minute
    const other = await testbed.stepToEnd(testbed.next())
    testbed.now += minute
    expect(other).toMatchObject({ status: 'published' })
    const { repeat: _, ...end } = failed as typeof failed & { repeat: unknown }
    expect(await testbed.step(request)).toEqual(end)
    expect(await testbed.runOf(request.driver.runId)).toBeUndefined()
  })

  it('ends as the run before if its repeat was skipped', async () => {
    const failed = await testbed.stepToEnd(testbed.next())
    const request = repeatOf(failed)
    testbed.respond = () => {
      throw new CredentialsError('not-set', 'The credentials secret still contains the placeholder.')
    }
    const { repeat: _, ...end } = failed as typeof failed & { repeat: unknown }
    expect(await testbed.step(request)).toEqual(end)
    expect(await testbed.runOf(request.driver.runId)).toMatchObject({
      status: 'skipped',
      repeat: request.driver.repeat,
    })
  })

  it('is not offered after its worker crashed, or if a person invoked the worker', async () => {
    const crashed = await testbed.step(failureOf(testbed.next(), 'States.Timeout'))
    expect(crashed).toMatchObject({ status: 'failed' })
    expect(crashed).not.toHaveProperty('repeat')
    expect(await testbed.stepToEnd()).not.toHaveProperty('repeat')
  })
})
