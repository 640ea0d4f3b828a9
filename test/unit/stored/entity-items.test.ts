import { beforeEach, expect, it } from 'vitest'
import { LeaseLost } from '../../../stored/lease.ts'
import { noProgress } from '../../../stored/pages/page.ts'
import { activeStatuses, newRun, newRunId } from '../../../stored/run/run.ts'
import { cancelled, failed, refused } from '../../../stored/run/run-changes.ts'
import { entityNamed } from '../../entity-named.ts'
import { StateTestbed } from './state-testbed.ts'

let testbed: StateTestbed
let state: StateTestbed['state']

beforeEach(() => {
  testbed = new StateTestbed()
  state = testbed.state
})

const latestOf = (runId: string) => ({ runId, manifest: `${runId}.json`, documents: 1, publishedAt: '' })

it('the item of an entity names the newest publication, even if an older one is recorded later', async () => {
  await state.setLatest('CL', latestOf('2'))
  await state.setLatest('CL', latestOf('1'))
  expect(await state.readEntity('CL')).toMatchObject({ latest: { runId: '2' } })
  await state.setLatest('CL', { ...latestOf('2'), documents: 7 })
  expect(await state.readEntity('CL')).toMatchObject({ latest: { runId: '2', documents: 7 } })
})

it('the item of an entity says since when documents have no id, until all have one', async () => {
  const publish = (runId: string, documents?: number) =>
    state.setLatest(
      'CL',
      { ...latestOf(runId), publishedAt: runId },
      documents === undefined ? undefined : { documents, idField: 'id' },
    )
  const found = async () => (await state.readEntity('CL')).withoutId
  await publish('1')
  expect(await found()).toBeNull()
  await publish('2', 3)
  await publish('3', 1)
  expect(await found()).toEqual({ documents: 1, idField: 'id', since: '2' })
  await publish('2', 7)
  expect(await found()).toMatchObject({ documents: 1 })
  await publish('4')
  expect(await found()).toBeNull()
  await publish('5', 1)
  expect(await found()).toMatchObject({ since: '5' })
})

it('only the worker that owns a lease can renew it', async () => {
  const lease = { runId: 'run', worker: 'new', until: 10, handedOff: false, direct: false }
  await state.claimLease('CL', {}, { lease, abandonedRuns: [] })
  const renewed = { ...lease, until: 20 }
  await expect(state.renewLease('CL', { ...renewed, worker: 'old' }, {})).rejects.toThrow(LeaseLost)
  await expect(state.renewLease('CL', { ...renewed, runId: 'other' }, {})).rejects.toThrow(LeaseLost)
  expect((await state.readEntity('CL')).lease).toEqual(lease)
  await state.renewLease('CL', renewed, {})
  expect((await state.readEntity('CL')).lease).toEqual(renewed)
})

it('what another run or worker owns, or has changed since it was read, stays as it is', async () => {
  const lease = { runId: 'run', worker: 'w', until: 10, handedOff: false, direct: false }
  const incrementScroll = { runId: 'run', until: 20 }
  await state.claimLease('CL', {}, { lease, abandonedRuns: ['lost'] })
  const seen = await state.readEntity('CL')
  await state.renewLease('CL', { ...lease, until: 11 }, { incrementScroll })
  const owned = await state.readEntity('CL')
  const taken = { ...lease, worker: 'other' }
  expect(await state.claimLease('CL', seen, { lease: taken, abandonedRuns: [] })).toBe(false)
  await expect(state.renewLease('CL', taken, { incrementScroll })).rejects.toThrow(LeaseLost)
  await expect(state.renewLease('CL', { ...lease, runId: 'other' }, { incrementScroll })).rejects.toThrow(
    LeaseLost,
  )
  await state.clearAbandonedRuns('CL', 'other')
  await state.closeIncrementScroll('CL', 'other')
  await state.releaseLease('CL', 'other')
  expect(await state.readEntity('CL')).toEqual(owned)
  await state.clearAbandonedRuns('CL', 'w')
  await state.closeIncrementScroll('CL', 'run')
  expect(await state.readEntity('CL')).toEqual({ lease: { ...lease, until: 11 }, recentRuns: ['run'] })
})

it('the first failure since the last publication stays until the one after the next publication', async () => {
  const fail = (endedAt: string) => state.recordFailure('CL', { status: 'failed', endedAt })
  const since = async () => (await state.readEntity('CL')).failedSince
  await fail('2026-01-01')
  await fail('2026-01-02')
  expect(await since()).toBe('2026-01-01')
  await state.setLatest('CL', { ...latestOf('1'), publishedAt: '2026-01-03' })
  await fail('2026-01-04')
  await fail('2026-01-05')
  expect(await since()).toBe('2026-01-04')
})

it.each([
  [failed, { failedSince: '1970-01-01T00:00:05.000Z' }],
  [refused, { refusedSince: '1970-01-01T00:00:05.000Z' }],
  [cancelled, {}],
])('a run that ends as %o begins a failure or not', async (ends, expected) => {
  const run = newRun({
    runId: newRunId(0),
    entity: entityNamed('CL'),
    acceptShrink: false,
    execution: undefined,
    now: 0,
  })
  await state.createRun(run)
  const end = { reason: 'Why.', progress: noProgress, now: 5_000 }
  expect(await state.endRun(ends(run, end), activeStatuses)).toBe(true)
  const { failedSince, refusedSince } = await state.readEntity('CL')
  expect({ ...(failedSince && { failedSince }), ...(refusedSince && { refusedSince }) }).toEqual(expected)
})

it('the progress of a run is kept with its lease', async () => {
  const lease = { runId: 'run', worker: 'w', until: 10, handedOff: false, direct: false }
  const scroll = { kind: 'page', page: 2, documentsSoFar: 20, total: 30, respondedAt: 5 } as const
  const scrolls = [
    { ...scroll, range: 0, attempt: 1 },
    { ...scroll, range: 1, attempt: 2 },
  ]
  await state.claimLease('CL', {}, { lease, abandonedRuns: [] })
  await state.renewLease('CL', lease, { progress: { runId: 'run', scrolls } })
  expect((await state.readEntity('CL')).progress).toEqual({ runId: 'run', scrolls })
  await state.releaseLease('CL', 'run')
  expect(await state.readEntity('CL')).toEqual({ abandonedRuns: [], recentRuns: ['run'] })
})

it('the item of an entity names the newest three runs that had the lease, newest first, each once', async () => {
  for (const runId of ['1', '2', '2', '3', '4', '3']) {
    const lease = { runId, worker: 'w', until: 10, handedOff: false, direct: false }
    await state.claimLease('CL', await state.readEntity('CL'), { lease, abandonedRuns: [] })
  }
  expect((await state.readEntity('CL')).recentRuns).toEqual(['4', '3', '2'])
})

it('the items of several entities are read in the order of their names, without those of runs', async () => {
  await state.setLatest('CL', latestOf('1'))
  await state.setLatest('AD', latestOf('2'))
  const entity = entityNamed('CL')
  const run = newRun({ runId: newRunId(0), entity, acceptShrink: false, execution: undefined, now: 0 })
  await state.createRun(run)
  const names = ['AD', 'ZZ', 'CL']
  expect(await state.readEntities(names)).toMatchObject([
    { latest: latestOf('2') },
    {},
    { latest: latestOf('1') },
  ])
  expect(await testbed.requestsOf(() => state.readEntities(names))).toEqual(['batch'])
})

it('the item of an entity has the key that other releases know', async () => {
  await state.setLatest('CL', latestOf('1'))
  expect(testbed.dynamodb.item('entity#CL', 'entity')).toBeDefined()
})
