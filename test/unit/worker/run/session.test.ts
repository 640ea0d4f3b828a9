import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { beforeEach, describe, expect, it } from 'vitest'
import { newRunId } from '../../../../functions/state/run/run.ts'
import { cancelled, waiting } from '../../../../functions/state/run/run-changes.ts'
import { createStateStore } from '../../../../functions/state/sync-state.aws.ts'
import { openRun } from '../../../../functions/worker/run/open.ts'
import type { RunSession } from '../../../../functions/worker/run/session.ts'
import { entityNamed } from '../../../entity-named.ts'
import { MemoryDynamoDb } from '../../../simulation/stores/memory-dynamodb.ts'
import { stepRequest } from '../worker-testbed.ts'

const seconds = 1_000
const leaseMs = 300 * seconds
const start = Date.UTC(2031, 0, 2)
const runId = newRunId(start)

let dynamodb: MemoryDynamoDb
let state: ReturnType<typeof createStateStore>
let now: number
let session: RunSession

/** A worker that opens the run. */
async function open(worker: string): Promise<RunSession> {
  const opened = await openRun({
    stores: { state, now: () => now, maxConcurrentSyncs: 1, maxConcurrentScrolls: 1 },
    entity: entityNamed('CL'),
    request: stepRequest(runId),
    worker,
  })
  if (opened.kind !== 'claimed') throw new Error(`The run is ${opened.kind}.`)
  return opened.session
}

const lease = async () => (await state.readEntity('CL')).lease
const isFree = (until: number) => state.takeSlot('other', 1, { now: until, until: until + 1 })
const isScrollFree = (until: number) =>
  state.takeScrollSlot({ runId: 'other', range: 0 }, 1, { now: until, until: until + 1 })

beforeEach(async () => {
  dynamodb = new MemoryDynamoDb()
  state = createStateStore('state', dynamodb as unknown as DynamoDBClient)
  now = start
  session = await open('worker-1')
})

describe('the session of a worker', () => {
  it.each([
    ['20 seconds later', 20 * seconds, 'extends'],
    ['less than 20 seconds later', 20 * seconds - 1, 'keeps'],
    ['if its clock was set back by 20 seconds', -20 * seconds, 'extends'],
  ])('%s (%i ms) %s the lease before a request', async (_, laterMs, action) => {
    now += laterMs
    await session.renew()
    expect(await lease()).toMatchObject({
      worker: 'worker-1',
      until: (action === 'extends' ? now : start) + leaseMs,
      handedOff: false,
    })
  })

  it('extends the lease every 20 seconds', async () => {
    const times: number[] = []
    dynamodb.onWrite = () => times.push(now - start)
    for (; now < start + 60 * seconds; now += seconds) await session.renew()
    expect(times).toEqual([20 * seconds, 40 * seconds])
  })

  it('notices within three seconds that its run was cancelled', async () => {
    const progress = { documents: 0, pages: 0, total: undefined }
    await state.endRun(cancelled(session.run, { reason: 'Cancelled.', progress, now }), ['running'])
    now += 3 * seconds - 1
    await session.renew()
    now += 1
    await expect(session.renew()).rejects.toThrow('The run has ended.')
  })

  it('notices that another worker continues its run', async () => {
    await open('worker-2')
    now += 3 * seconds
    await expect(session.renew()).rejects.toThrow('Another worker works on the run.')
  })

  it('looks for a cancellation again three seconds later', async () => {
    const reads: number[] = []
    const readRun = state.readRun.bind(state)
    state.readRun = (...given) => {
      reads.push(now - start)
      return readRun(...given)
    }
    for (; now < start + 25 * seconds; now += seconds) await session.renew()
    expect(reads).toEqual([3, 6, 9, 12, 15, 18, 21, 24].map((second) => second * seconds))
  })

  it('keeps its slots while it extends the lease', async () => {
    expect(await session.takeSlot()).toBe(true)
    expect(await session.takeScrollSlot(0)).toBe(true)
    expect(await isFree(now + leaseMs - 1)).toBe(false)
    expect(await isScrollFree(now + leaseMs - 1)).toBe(false)
    now += 20 * seconds
    await session.renew()
    expect(await isFree(now + leaseMs - 1)).toBe(false)
    expect(await isScrollFree(now + leaseMs - 1)).toBe(false)
    expect(await isFree(now + leaseMs)).toBe(true)
    expect(await isScrollFree(now + leaseMs)).toBe(true)
  })

  it('stops if another run took its slot', async () => {
    await session.takeSlot()
    now += leaseMs
    await state.takeSlot('other', 1, { now, until: now + leaseMs })
    await expect(session.renew()).rejects.toThrow('Another run took the slot of this one.')
  })

  it('stops if another run took a slot of one of its scrolls', async () => {
    await session.takeScrollSlot(0)
    now += leaseMs
    await state.takeScrollSlot({ runId: 'other', range: 0 }, 1, { now, until: now + leaseMs })
    await expect(session.renew()).rejects.toThrow('Another run took a slot of this one.')
  })

  it('does not take a slot again that it released or never had', async () => {
    await session.takeScrollSlot(0)
    await session.releaseScrollSlot(0)
    expect(await state.takeSlot('other', 1, { now, until: now + leaseMs })).toBe(true)
    expect(await isScrollFree(now)).toBe(true)
    expect(await session.takeSlot()).toBe(false)
    now += 20 * seconds
    await session.renew()
    expect(await isScrollFree(now)).toBe(true)
  })

  it('hands off with the lease for as long as the run waits', async () => {
    await session.takeSlot()
    await session.handOff(waiting(session.run, 'Throttled.', now), 60 * seconds)
    expect(await lease()).toMatchObject({ handedOff: true, until: now + 60 * seconds + leaseMs })
    expect(await state.readRun('CL', runId)).toMatchObject({ status: 'waiting', reason: 'Throttled.' })
    expect(await isFree(now + 60 * seconds + leaseMs - 1)).toBe(false)
  })

  it('marks the attempt suspect once', async () => {
    await session.markSuspect()
    const { revision } = session.run
    expect(await state.readRun('CL', runId)).toMatchObject({ suspect: true, revision })
    await session.markSuspect()
    expect(session.run.revision).toBe(revision)
  })

  it('writes changes of ranges that scroll side by side one after the other', async () => {
    await Promise.all([
      session.countRequest(5),
      session.countFault('503'),
      session.countRequest(6),
      session.countFault('503'),
    ])
    const counts = { requests: 2, receivedBytes: 11, faults: { 503: 2 } }
    expect(await state.readRun('CL', runId)).toMatchObject(counts)
  })

  it('overwrites nothing after a write whose outcome is unknown', async () => {
    const send = dynamodb.send.bind(dynamodb)
    dynamodb.send = async (command) => {
      await send(command)
      dynamodb.send = send
      throw new Error('The connection was lost.')
    }
    const writes = await Promise.allSettled([session.markSuspect(), session.countFault('503')])
    const lost = { status: 'rejected', reason: new Error('The connection was lost.') }
    expect(writes).toEqual([lost, lost])
    expect(await state.readRun('CL', runId)).toMatchObject({ suspect: true, faults: {} })
    expect(session.run).toMatchObject({ suspect: false, faults: {} })
  })
})
