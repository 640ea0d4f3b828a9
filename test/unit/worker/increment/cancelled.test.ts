import { beforeEach, expect, it } from 'vitest'
import { endFromOutside } from '../../../../functions/syncs/end-run.ts'
import { claimEntity } from '../../../../stored/claim/claim.ts'
import { newIncrement } from '../../../../stored/run/increment-run.ts'
import { newRunId } from '../../../../stored/run/run.ts'
import { stepRequest } from '../worker-testbed.ts'
import { IncrementTestbed } from './increment-testbed.ts'

let testbed: IncrementTestbed
let runId: string
let isCancelled: boolean | undefined

/** An increment that a caller of the API has started, with something to deliver or not. */
beforeEach(async () => {
  testbed = new IncrementTestbed()
  await testbed.begin()
  testbed.now += 5 * 60_000
  runId = newRunId(testbed.now)
  isCancelled = undefined
  const { entity, now } = testbed
  await testbed.state.createRun(newIncrement({ runId, entity, execution: 'e', now }))
})

const run = () => testbed.step(stepRequest(runId, { kind: 'increment' }))

async function cancel() {
  const increment = await testbed.state.readIncrement('CL', runId)
  if (!increment) throw new Error('The increment has no item.')
  const { state } = testbed
  const end = { status: 'cancelled', reason: 'Cancelled.' } as const
  isCancelled = await endFromOutside({ state, now: () => testbed.now }, increment, end)
}

/** Cancels the increment when it calls a store. */
function cancelIn(method: 'readManifest' | 'writeProposal' | 'publishSet'): void {
  const store: object = method === 'publishSet' ? testbed.publisher : testbed.changes
  const original = store[method as never] as (...args: unknown[]) => Promise<unknown>
  let calls = 0
  Object.assign(store, {
    [method]: async (...args: unknown[]) => {
      if (++calls === 1) await cancel()
      return original(...args)
    },
  })
}

it('cannot be cancelled while its set is being published', async () => {
  testbed.update(1, 'second', testbed.now - 30_000)
  cancelIn('publishSet')
  expect(await run()).toMatchObject({ status: 'published', records: 1 })
  expect(isCancelled).toBe(false)
  expect(testbed.chain().tip).toBe(runId)
  expect(await testbed.state.readIncrement('CL', runId)).toMatchObject({ status: 'published' })
})

it('leaves the entity to others if what cancelled it stopped before it released the lease', async () => {
  const { state, now } = testbed
  const claimant = { for: 'increment', kind: 'start', runId, worker: `start#${runId}` } as const
  await claimEntity(state, 'CL', { claimant, now: () => now })
  const releaseLease = state.releaseLease.bind(state)
  Object.assign(state, { releaseLease: async () => Promise.reject(new Error('The function stopped.')) })
  await expect(cancel()).rejects.toThrow('The function stopped.')
  Object.assign(state, { releaseLease })
  expect(await run()).toMatchObject({ status: 'cancelled', runId })
  expect((await state.readEntity('CL')).lease).toBeUndefined()
  expect(await testbed.increment(0)).toMatchObject({ status: 'published' })
})

it('is not published if its worker overlooks that it was cancelled', async () => {
  testbed.update(1, 'second', testbed.now - 30_000)
  const { tip } = testbed.chain()
  Object.assign(testbed.state, { publishIncrement: () => cancel().then(() => true) })
  expect(await run()).toMatchObject({ status: 'cancelled' })
  expect([isCancelled, testbed.chain().tip]).toEqual([true, tip])
})
