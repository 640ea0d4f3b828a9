import { beforeEach, describe, expect, it } from 'vitest'
import { type ActiveRun, hasEnded, newRun, newRunId } from '../../../../stored/run/run.ts'
import { cancelled } from '../../../../stored/run/run-changes.ts'
import { stepRequest, WorkerTestbed } from '../worker-testbed.ts'

let testbed: WorkerTestbed

beforeEach(() => {
  testbed = new WorkerTestbed()
})

const next = () => stepRequest(newRunId(testbed.now))

describe('a worker that opens a run', () => {
  it('claims nothing for a run that has ended', async () => {
    const request = next()
    await testbed.step(request)
    testbed.state.claimLease = async () => {
      throw new Error('claimed')
    }
    expect(await testbed.step(request)).toMatchObject({ status: 'published', runId: request.driver.runId })
  })

  it('continues a run that was created since it looked for one', async () => {
    const request = next()
    const { runId } = request.driver
    const { entity, state } = testbed
    const createRun = state.createRun.bind(state)
    let remaining = 1
    state.createRun = async (run) => {
      if (remaining-- > 0)
        await createRun(
          newRun({ runId, entity, acceptShrink: false, execution: undefined, now: testbed.now }),
        )
      return createRun(run)
    }
    expect(await testbed.step(request)).toMatchObject({ status: 'published', entity: 'CL', runId })
  })

  it('continues a run that it created although the response was lost', async () => {
    const request = next()
    const createRun = testbed.state.createRun.bind(testbed.state)
    testbed.state.createRun = async (run) => {
      await createRun(run)
      return createRun(run)
    }
    expect(await testbed.step(request)).toMatchObject({ status: 'published', suspect: false, attempt: 1 })
  })

  it('ends with a run that was cancelled since it claimed it', async () => {
    const request = next()
    testbed.respond = () => ({ status: 429, headers: { 'retry-after': '300' }, body: Buffer.from('no') })
    await testbed.step(request)
    const claimLease = testbed.state.claimLease.bind(testbed.state)
    testbed.state.claimLease = async (...claim) => {
      const run = (await testbed.state.readRun('CL', request.driver.runId)) as ActiveRun
      const progress = { documents: 0, pages: 0, total: undefined, rangeProgress: [] }
      const end = cancelled(run, { reason: 'Cancelled.', progress, now: testbed.now })
      await testbed.state.endRun(end, ['waiting'])
      return claimLease(...claim)
    }
    expect(await testbed.step(request)).toMatchObject({ status: 'cancelled' })
    const run = await testbed.state.readRun('CL', request.driver.runId)
    expect(run && hasEnded(run)).toBe(true)
    expect(await testbed.state.readEntity('CL')).not.toHaveProperty('lease')
  })
})
