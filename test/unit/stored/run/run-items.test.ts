import { beforeEach, describe, expect, it } from 'vitest'
import { newIncrement, unpublished } from '../../../../stored/run/increment-run.ts'
import type { ActiveRun, Run } from '../../../../stored/run/run.ts'
import { activeStatuses, newRepublication, newRun } from '../../../../stored/run/run.ts'
import { cancelled, running, skipped, waiting } from '../../../../stored/run/run-changes.ts'
import { entityNamed } from '../../../entity-named.ts'
import { StateTestbed } from '../state-testbed.ts'

const now = Date.UTC(2026, 2, 1, 6)
const runId = '20260301T060000000Z-0123456789ab'
const idOf = (number: number) => `2026030${number}T060000000Z-0123456789ab`
const runWith = (id: string): ActiveRun =>
  newRun({ runId: id, entity: entityNamed('CL'), acceptShrink: false, execution: 'arn:x', now })
const run: ActiveRun = { ...runWith(runId), worker: 'worker-1' }
const end = { reason: 'Why.', progress: { documents: 0, pages: 0, total: undefined, rangeProgress: [] }, now }

let testbed: StateTestbed
let state: StateTestbed['state']

beforeEach(() => {
  testbed = new StateTestbed()
  state = testbed.state
})

const lost = { name: 'LeaseLost', message: 'The run has ended, or another worker works on it.' }

describe('a new run', () => {
  it('is stored under its entity, without an expiry', async () => {
    expect(await state.createRun(run)).toBe(true)
    expect(await state.readRun('CL', runId)).toEqual(run)
    expect(testbed.dynamodb.item('entity#CL', `run#${runId}`)).not.toHaveProperty('expiresAt')
  })

  it('is stored although its response was lost and the client repeated the write', async () => {
    testbed.repeatNextWrite()
    expect(await state.createRun(run)).toBe(true)
  })

  it('does not replace a run that has its id', async () => {
    await state.createRun(run)
    expect(await state.createRun({ ...run, worker: 'worker-2' })).toBe(false)
    expect(await state.readRun('CL', runId)).toMatchObject({ worker: 'worker-1' })
  })
})

describe('a write of a run', () => {
  beforeEach(async () => {
    await state.createRun(run)
  })

  it('counts the writes, and takes one request', async () => {
    const requests = await testbed.requestsOf(async () => {
      expect(
        await state.writeRun(waiting(run, { for: 'platform', reason: 'Throttled.', waitMs: 0, now: now })),
      ).toMatchObject({ revision: 1 })
    })
    expect(requests).toEqual(['put'])
    expect(await state.readRun('CL', runId)).toMatchObject({ status: 'waiting', revision: 1 })
  })

  it.each(activeStatuses)('replaces a run that is %s', async (status) => {
    const stored = await state.writeRun({ ...run, status } as ActiveRun)
    expect(await state.writeRun(running(stored, now))).toMatchObject({ status: 'running', revision: 2 })
  })

  it('is done although its response was lost and the client repeated it', async () => {
    testbed.repeatNextWrite()
    expect(
      await state.writeRun(waiting(run, { for: 'platform', reason: 'Throttled.', waitMs: 0, now: now })),
    ).toMatchObject({ revision: 1 })
  })

  it.each<[string, ActiveRun]>([
    ['by another worker', { ...run, worker: 'worker-2' }],
    ['with another status', waiting(run, { for: 'platform', reason: 'Throttled.', waitMs: 0, now: now })],
    ['at another time', running(run, now + 1)],
  ])('is refused after a write %s', async (_, other) => {
    await state.writeRun(other)
    await expect(state.writeRun(run)).rejects.toMatchObject(lost)
    expect(await state.readRun('CL', runId)).toMatchObject({ worker: other.worker, status: other.status })
  })

  it('is refused after two writes by the same worker', async () => {
    await state.writeRun(await state.writeRun(run))
    await expect(state.writeRun(run)).rejects.toMatchObject(lost)
  })

  it('is refused once the run has ended', async () => {
    const { revision } = await state.writeRun(skipped(run, end))
    await expect(state.writeRun({ ...run, revision })).rejects.toMatchObject(lost)
  })

  it('is refused if the run has no item', async () => {
    await expect(state.writeRun(runWith(idOf(2)))).rejects.toMatchObject(lost)
  })
})

describe('the end of a run from outside its worker', () => {
  it('replaces a run of one of the given statuses, without the name of its worker', async () => {
    await state.createRun(run)
    expect(await state.endRun(cancelled(run, end), ['running', 'waiting'])).toBe(true)
    const stored = await state.readRun('CL', runId)
    expect(stored).toMatchObject({ status: 'cancelled', reason: 'Why.', revision: 1 })
    expect(stored).not.toHaveProperty('worker')
  })

  it('is done although its response was lost and the client repeated it', async () => {
    await state.createRun(run)
    testbed.repeatNextWrite()
    expect(await state.endRun(cancelled(run, end), ['running'])).toBe(true)
  })

  it.each<[string, ActiveRun, number]>([
    ['at another time', run, now + 1],
    ['after another write of the run', { ...run, revision: 1 }, now],
  ])('is not done if it was ended %s', async (_, other, at) => {
    await state.createRun(run)
    await state.endRun(cancelled(other, { ...end, now: at }), ['running'])
    expect(await state.endRun(cancelled(run, end), ['running'])).toBe(false)
  })

  it.each([
    [true, false],
    [false, true],
  ])('if it must be unwritten (%s), is done after a write of its worker: %s', async (unwritten, isDone) => {
    await state.createRun(run)
    await state.writeRun(run)
    expect(await state.endRun(cancelled(run, end), ['running'], { unwritten })).toBe(isDone)
  })

  it('leaves a run of another status as it is', async () => {
    await state.createRun(waiting(run, { for: 'platform', reason: 'Throttled.', waitMs: 0, now: now }))
    expect(await state.endRun(cancelled(run, end), ['running', 'publishing'])).toBe(false)
    expect(await state.readRun('CL', runId)).toMatchObject({ status: 'waiting' })
  })

  it('lets the item expire 30 days later', async () => {
    await state.createRun(run)
    await state.endRun(cancelled(run, { ...end, now: Date.UTC(2026, 2, 2) }), ['running'])
    const expiresAt = Date.UTC(2026, 3, 1) / 1000
    expect(testbed.dynamodb.item('entity#CL', `run#${runId}`)).toMatchObject({ expiresAt })
  })
})

describe('the list of runs', () => {
  const listed = async (limit: number, before?: string) =>
    (await state.listRuns('CL', limit, before)).map((one) => one.runId)

  beforeEach(async () => {
    await state.setPageSize('CL', { next: 1, configured: 1 })
    for (const number of [1, 2, 3]) await state.createRun(runWith(idOf(number)))
    await state.createRun({ ...runWith(idOf(4)), entity: 'AD' })
  })

  it('has the newest run of the entity first, and nothing but runs', async () => {
    expect(await listed(10)).toEqual([3, 2, 1].map(idOf))
    expect(await listed(2)).toEqual([3, 2].map(idOf))
  })

  it('continues before a run', async () => {
    expect(await listed(10, idOf(3))).toEqual([2, 1].map(idOf))
    expect(await listed(1, idOf(3))).toEqual([idOf(2)])
  })

  it('is read at half the price, so that it may lack the newest write', async () => {
    await state.createRun(runWith(idOf(5)))
    testbed.dynamodb.isReadStale = () => true
    expect(await listed(1)).toEqual([idOf(3)])
  })
})

describe('a run of any kind', () => {
  const start = { entity: entityNamed('CL'), execution: 'arn:x', now }
  const increment = newIncrement({ ...start, runId: idOf(1) })
  const republication = newRepublication({
    ...start,
    runId: idOf(2),
    acceptShrink: false,
    republishedFrom: idOf(1),
  })

  it.each<[string, Run]>([
    ['a full sync', run],
    [
      'an increment that failed a second ago',
      unpublished(increment, { status: 'failed', reason: 'Why.' }, now),
    ],
    ['a republication', republication],
  ])('is found: %s', async (_, one) => {
    await state.createRun(one)
    expect(await state.findRun('CL', one.runId)).toEqual(one)
  })

  it('has only what its kind needs', async () => {
    for (const one of [increment, republication]) {
      for (const name of ['plan', 'split', 'searches']) expect(one).not.toHaveProperty(name)
    }
    expect(increment).not.toHaveProperty('acceptShrink')
  })

  it('is a full sync if version 1.0.0 stored it', async () => {
    const { kind: _, ...stored } = run
    await state.createRun(stored as Run)
    expect(await state.readRun('CL', runId)).toEqual(run)
    expect(await state.listRuns('CL', 1)).toEqual([run])
    expect(await state.readRuns([run])).toEqual([run])
  })
})
