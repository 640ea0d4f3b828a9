import { beforeEach, expect, it } from 'vitest'
import { LeaseLost } from '../../../functions/state/lease/lease.ts'
import { StateTestbed } from './state-testbed.ts'

let state: StateTestbed['state']

beforeEach(() => {
  state = new StateTestbed().state
})

const latestOf = (runId: string) => ({ runId, manifest: `${runId}.json`, documents: 1, publishedAt: '' })

it('the item of an entity names the newest publication, even if an older one is recorded later', async () => {
  await state.setLatest('CL', latestOf('2'))
  await state.setLatest('CL', latestOf('1'))
  expect(await state.readEntity('CL')).toMatchObject({ latest: { runId: '2' } })
  await state.setLatest('CL', { ...latestOf('2'), documents: 7 })
  expect(await state.readEntity('CL')).toMatchObject({ latest: { runId: '2', documents: 7 } })
})

it('only the worker that owns a lease can renew it', async () => {
  const lease = { runId: 'run', worker: 'new', until: 10, handedOff: false, direct: false }
  await state.claimLease('CL', undefined, { lease, abandonedRuns: [] })
  const renewed = { ...lease, until: 20 }
  await expect(state.renewLease('CL', { ...renewed, worker: 'old' })).rejects.toThrow(LeaseLost)
  await expect(state.renewLease('CL', { ...renewed, runId: 'other' })).rejects.toThrow(LeaseLost)
  expect((await state.readEntity('CL')).lease).toEqual(lease)
  await state.renewLease('CL', renewed)
  expect((await state.readEntity('CL')).lease).toEqual(renewed)
})
