import { beforeEach, describe, expect, it } from 'vitest'
import { formatMinute } from '../../../functions/runtime/format.ts'
import type { DirectRequest, DrivenRequest } from '../../../functions/worker/request.ts'
import type { StepResponse } from '../../../functions/worker/response.ts'
import type { Pause } from '../../../stored/pause.ts'
import { fullSync } from '../../worker-requests.ts'
import { IncrementTestbed, incrementRequest } from './increment/increment-testbed.ts'
import { statusResponse } from './worker-testbed.ts'

const minute = 60_000
let testbed: IncrementTestbed

beforeEach(async () => {
  testbed = new IncrementTestbed()
  await testbed.begin()
  testbed.now += minute
})

const iso = (time: number) => new Date(time).toISOString()

function pause(change: Partial<Pause> = {}): Promise<void> {
  const since = iso(testbed.now)
  return testbed.state.setPause('CL', { by: 'user/ana', since, reason: 'Migration.', until: null, ...change })
}

/** What the state machine sends if a schedule started the execution. */
function scheduled(): DrivenRequest {
  const { driver, entity } = testbed.next()
  return { entity, driver, job: { ...fullSync, scheduled: true } }
}

const scheduledIncrement: DirectRequest = {
  entity: 'CL',
  job: { kind: 'increment', scheduled: true },
  driver: { kind: 'direct' },
}

const skipped = (reason: string) => ({ status: 'skipped', reason })

describe('while an entity is paused', () => {
  it('ends a scheduled run as skipped, with who paused it, since when, until when and why', async () => {
    const [since, until] = [iso(testbed.now), iso(testbed.now + 8 * 60 * minute)]
    await pause({ until })
    testbed.targets.length = 0
    const request = scheduled()
    const response = await testbed.step(request)
    const reason = `The entity has been paused by user/ana since ${formatMinute(since)}, until ${formatMinute(until)}: Migration.`
    expect(response).toMatchObject(skipped(reason))
    expect(await testbed.runOf(request.driver.runId)).toMatchObject(skipped(reason))
    expect(await testbed.step(request)).toEqual(response)
    expect(testbed.targets).toEqual([])
    expect((await testbed.state.readEntity('CL')).lease).toBeUndefined()
  })

  it('skips a scheduled increment, without an item', async () => {
    await pause({ reason: null })
    expect(await testbed.step(scheduledIncrement)).toMatchObject(
      skipped(`The entity has been paused by user/ana since ${formatMinute(iso(testbed.now))}.`),
    )
    expect(await testbed.state.listIncrements('CL', 5)).toEqual([])
    expect((await testbed.state.readEntity('CL')).increments).toBeUndefined()
  })

  it('does not affect runs that a person starts, or that have begun', async () => {
    testbed.stepMs = 0
    const begun = scheduled()
    expect(await testbed.step(begun)).toMatchObject({ status: 'running' })
    await pause()
    testbed.stepMs = 780_000
    expect(await testbed.stepToEnd(begun)).toMatchObject({ status: 'published' })
    expect(await testbed.stepToEnd(testbed.next())).toMatchObject({ status: 'published' })
    await testbed.compare((await testbed.state.readEntity('CL')).latest?.runId ?? '')
    const byHand = incrementRequest(testbed.next().driver.runId)
    expect(await testbed.step(byHand)).toMatchObject({ status: 'published' })
  })

  it('is not over before its end, and over then although nobody resumes the entity', async () => {
    await pause({ until: iso(testbed.now + minute) })
    testbed.now += minute - 1
    expect(await testbed.step(scheduled())).toMatchObject({ status: 'skipped' })
    testbed.now += 1
    expect(await testbed.stepToEnd(scheduled())).toMatchObject({ status: 'published' })
    expect(await testbed.step(scheduledIncrement)).toMatchObject({ status: 'published' })
  })

  it('frees the lease of a scheduled run whose worker crashed before it began', async () => {
    const request = await testbed.crashedIn(testbed.state, 'createRun')
    const leaseOf = async () => (await testbed.state.readEntity('CL')).lease?.runId
    expect(await leaseOf()).toBe(request.driver.runId)
    await pause()
    await testbed.step({ ...request, job: { ...fullSync, scheduled: true } })
    expect(await leaseOf()).toBeUndefined()
  })

  it('is not repeated after the platform was away: the execution ends as the run did', async () => {
    testbed.respond = () => statusResponse(503)
    const failed = await testbed.stepToEnd(scheduled())
    const { repeat, ...end } = failed as StepResponse & {
      repeat: { runId: string; of: string; after: string; waitSeconds: number }
    }
    expect(end).toMatchObject({ status: 'failed' })
    const { runId, waitSeconds, ...repeated } = repeat
    testbed.now += waitSeconds * 1000
    await pause()
    const request = scheduled()
    const driver = { ...request.driver, runId, repeat: repeated }
    testbed.targets.length = 0
    expect(await testbed.step({ ...request, driver })).toEqual(end)
    expect(testbed.targets).toEqual([])
  })
})
