import { beforeEach, describe, expect, it } from 'vitest'
import type { Slots } from '../../../stored/slots/hand-over.ts'
import { statusResponse, throttled, WorkerTestbed } from './worker-testbed.ts'

const minute = 60_000
let testbed: WorkerTestbed

beforeEach(() => {
  testbed = new WorkerTestbed()
})

describe('a run that continues', () => {
  it('waits while the platform throttles, and reports why', async () => {
    testbed.respond = (request) => (request === 2 ? throttled : undefined)
    const request = testbed.next()
    const reason = expect.stringContaining('429') as string
    expect(await testbed.step(request)).toEqual({
      status: 'waiting',
      entity: 'CL',
      runId: request.driver.runId,
      reason,
      waitSeconds: 300,
    })
    expect(await testbed.runOf(request.driver.runId)).toMatchObject({
      status: 'waiting',
      reason,
      faults: { 429: 1 },
    })
    expect(testbed.logged('run waiting')).toEqual([
      {
        level: 'WARN',
        message: 'run waiting',
        fields: { entity: 'CL', runId: request.driver.runId, status: 'waiting', reason, waitSeconds: 300 },
      },
    ])
    testbed.now += 5 * minute
    expect(await testbed.step(request)).toMatchObject({ status: 'published', suspect: false })
  })

  it('logs a short wait, which the worker sleeps through', async () => {
    testbed.respond = (request) => (request === 2 ? statusResponse(429, { 'retry-after': '7' }) : undefined)
    const { runId } = await testbed.step(testbed.next())
    const reason = expect.stringContaining('429') as string
    expect(testbed.logged('scroll waiting')).toEqual([
      {
        level: 'WARN',
        message: 'scroll waiting',
        fields: { entity: 'CL', runId, attempt: 1, reason, waitSeconds: 7 },
      },
    ])
    expect(testbed.logged('run waiting')).toEqual([])
  })

  it.each([
    ['syncs', 'All 1 slots for concurrent syncs are taken.'],
    ['scrolls', 'All 1 slots for concurrent scrolls are taken.'],
  ])('waits while all slots for concurrent %s are taken', async (kind, reason) => {
    const takenUntil = testbed.now + 5 * minute
    if (kind === 'syncs') await testbed.state.takeSlot('other', 1, { now: testbed.now, until: takenUntil })
    else
      await testbed.state.takeScrollSlot({ runId: 'other', range: 0 }, 1, {
        now: testbed.now,
        until: takenUntil,
      })
    const request = testbed.next()
    expect(await testbed.step(request)).toEqual({
      status: 'waiting',
      entity: 'CL',
      runId: request.driver.runId,
      reason,
      waitSeconds: 15,
      slot: kind,
      slotSeconds: 3600,
    })
    const until = new Date(testbed.now + 60 * minute).toISOString()
    expect(await testbed.runOf(request.driver.runId)).toMatchObject({
      status: 'waiting',
      reason,
      waits: [{ for: 'slot', to: until }],
    })
    const fields = { entity: 'CL', runId: request.driver.runId, reason, waitSeconds: 3600 }
    expect(testbed.logged('slot waiting')).toEqual([{ level: 'INFO', message: 'slot waiting', fields }])
    // While it waits for its first scroll, other runs take no further slot.
    const { runId } = request.driver
    expect(testbed.dynamodb.item<Slots>('slots', 'scrolls')?.waiting).toEqual(
      kind === 'syncs' ? undefined : [{ runId, until: testbed.now + 76 * minute }],
    )
    // Nobody wakes an execution of 1.0.0.
    expect(testbed.dynamodb.item('slots', `waiting#${kind}#${runId}`)).toMatchObject({
      runId,
      until: testbed.now + 75_000,
    })
    testbed.now += 4 * minute
    expect(await testbed.step(request)).toMatchObject({ status: 'waiting', reason, waitSeconds: 60 })
    testbed.now += minute
    expect(await testbed.step(request)).toMatchObject({ status: 'published' })
  })
})
