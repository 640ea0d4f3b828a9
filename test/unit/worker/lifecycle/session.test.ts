import { beforeEach, describe, expect, it } from 'vitest'
import { IncrementSession } from '../../../../functions/worker/increment/session.ts'
import { openRun } from '../../../../functions/worker/lifecycle/open.ts'
import type { RunSession } from '../../../../functions/worker/lifecycle/session.ts'
import { claimEntity } from '../../../../stored/claim/claim.ts'
import { startPosition } from '../../../../stored/pages/page.ts'
import { newIncrement } from '../../../../stored/run/increment-run.ts'
import { newRunId } from '../../../../stored/run/run.ts'
import { cancelled, waiting } from '../../../../stored/run/run-changes.ts'
import { createStateStore } from '../../../../stored/sync-state.ts'
import { entityNamed } from '../../../entity-named.ts'
import { MemoryDynamoDb } from '../../../simulation/stores/memory-dynamodb.ts'
import { stepRequest } from '../worker-testbed.ts'

const seconds = 1_000
const leaseMs = 300 * seconds
/** Longer than the token of a scroll lives. */
const scrollMs = 22 * 60 * seconds
const start = Date.UTC(2031, 0, 2)
const runId = newRunId(start)

let dynamodb: MemoryDynamoDb
let state: ReturnType<typeof createStateStore>
let now: number
let session: RunSession

/** A worker that opens the run. */
async function open(
  worker: string,
  limits = { maxConcurrentSyncs: 1, maxConcurrentScrolls: 1 },
): Promise<RunSession> {
  const opened = await openRun({
    context: { state, now: () => now, settings: limits },
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
  state = createStateStore(dynamodb)
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

  it('records the progress of its scrolls with the lease, also for the next worker', async () => {
    const position = { ...startPosition(10), kind: 'page', page: 1, documentsSoFar: 10, total: 30 } as const
    const recorded = async () => (await state.readEntity('CL')).progress
    const scroll = { kind: 'page', page: 1, documentsSoFar: 10, total: 30, respondedAt: 0 }
    session.recordProgress({ runId, range: 0, attempt: 1 }, position)
    session.recordProgress({ runId, range: 1, attempt: 1 }, position)
    expect(await recorded()).toBeUndefined()
    now += 20 * seconds
    await session.renew()
    const first = { ...scroll, range: 0, attempt: 1 }
    expect(await recorded()).toEqual({ runId, scrolls: [first, { ...scroll, range: 1, attempt: 1 }] })

    const next = await open('worker-2')
    next.recordProgress({ runId, range: 1, attempt: 2 }, position)
    await next.handOff(next.run, 0)
    expect(await recorded()).toEqual({ runId, scrolls: [first, { ...scroll, range: 1, attempt: 2 }] })
  })

  it('notices within three seconds that its run was cancelled', async () => {
    const progress = { documents: 0, pages: 0, total: undefined, rangeProgress: [] }
    await state.endRun(cancelled(session.run, { reason: 'Cancelled.', progress, now }), ['running'])
    now += 3 * seconds - 1
    await session.renew()
    now += 1
    await expect(session.renew()).rejects.toThrow('The run has ended.')
  })

  it('notices that another worker continues its run', async () => {
    await open('worker-2')
    now += 3 * seconds
    await expect(session.renew()).rejects.toThrow('Another worker is working on the run.')
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

  it.each([
    ['no other run', [], 3],
    ['other runs', ['other-1', 'other-2'], 5],
  ])('renews all of its slots among %s with few requests', async (_, others, requests) => {
    const session = await open('worker-2', { maxConcurrentSyncs: 10, maxConcurrentScrolls: 10 })
    await session.takeSlot()
    for (const range of [0, 1, 2, 3, 4, 5, 6, 7]) expect(await session.takeScrollSlot(range)).toBe(true)
    const other = createStateStore(dynamodb)
    for (const runId of others) {
      await other.takeSlot(runId, 10, { now, until: now + leaseMs })
      await other.takeScrollSlot({ runId, range: 0 }, 10, { now, until: now + leaseMs })
    }
    const sent: object[] = []
    dynamodb.read = async (request) => {
      sent.push(request)
      return dynamodb.readNow(request)
    }
    dynamodb.write = async (request) => {
      sent.push(request)
      return dynamodb.writeNow(request)
    }
    now += 20 * seconds
    await session.renew()
    // The check for a cancellation reads the run.
    expect(sent.length).toBe(requests + 1)
  })

  it('stops if another run took its slot', async () => {
    await session.takeSlot()
    now += leaseMs
    await state.takeSlot('other', 1, { now, until: now + leaseMs })
    await expect(session.renew()).rejects.toThrow('Another run took the slot of this run.')
  })

  it('stops if another run took a slot of one of its scrolls', async () => {
    await session.takeScrollSlot(0)
    now += leaseMs
    await state.takeScrollSlot({ runId: 'other', range: 0 }, 1, { now, until: now + leaseMs })
    await expect(session.renew()).rejects.toThrow('Another run took a slot of this run.')
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
    await session.handOff(
      waiting(session.run, { for: 'platform', reason: 'Throttled.', waitMs: 0, now: now }),
      60 * seconds,
    )
    expect(await lease()).toMatchObject({ handedOff: true, until: now + 60 * seconds + leaseMs })
    expect(await state.readRun('CL', runId)).toMatchObject({ status: 'waiting', reason: 'Throttled.' })
    expect(await isFree(now + 60 * seconds + leaseMs - 1)).toBe(false)
  })

  it('counts searches before they are sent, 25 at once, up to a limit', async () => {
    const granted = await Promise.all(Array.from({ length: 60 }, () => session.countSearch(50)))
    expect(granted.filter(Boolean)).toHaveLength(50)
    expect(await state.readRun('CL', runId)).toMatchObject({ searches: 50 })
  })

  it('returns the searches that it did not send when it hands off', async () => {
    await session.countSearch(50)
    expect(await state.readRun('CL', runId)).toMatchObject({ searches: 25 })
    await session.handOff(session.run, 0)
    expect(await state.readRun('CL', runId)).toMatchObject({ searches: 1 })
  })

  it('writes changes of ranges that scroll at the same time one after the other', async () => {
    await Promise.all([
      session.countRequest(5),
      session.countFault({ kind: 'status', status: 503 }),
      session.countRequest(6),
      session.countFault({ kind: 'status', status: 503 }),
    ])
    const counts = { requests: 2, receivedBytes: 11, faults: { 503: 2 } }
    expect(await state.readRun('CL', runId)).toMatchObject(counts)
  })
})

describe('the session of an increment that scrolls', () => {
  let increment: IncrementSession

  beforeEach(async () => {
    await state.release('CL', runId)
    const claimant = { for: 'increment', kind: 'direct', runId, worker: 'worker-1' } as const
    const claimed = await claimEntity(state, 'CL', { claimant, now: () => now })
    if (claimed.kind !== 'claimed') throw new Error(`The entity is ${claimed.kind}.`)
    const entity = { ...entityNamed('CL'), increments: { schedule: 'rate(5 minutes)', lookbackMinutes: 60 } }
    const settings = { maxConcurrentSyncs: 1, maxConcurrentScrolls: 1 }
    const run = newIncrement({ runId, entity, execution: undefined, now })
    const begun = { run, entity, lease: claimed.lease, rememberedPageSize: undefined }
    const leased = { ...begun, deadline: now + leaseMs, isStored: false }
    increment = new IncrementSession({ state, now: () => now, settings }, leased)
    await increment.takeScrollSlot(0)
    await increment.opens()
  })

  it.each([
    ['one minute later', 60 * seconds, 'extends'],
    ['less than one minute later', 60 * seconds - 1, 'keeps'],
    ['if its clock was set back by one minute', -60 * seconds, 'extends'],
  ])('%s (%i ms) %s the lease and the slot before a request', async (_, laterMs, action) => {
    now += laterMs
    await increment.renew()
    const at = action === 'extends' ? now : start
    const { lease, incrementScroll } = await state.readEntity('CL')
    expect({ lease: lease?.until, scroll: incrementScroll?.until }).toEqual({
      lease: at + leaseMs,
      scroll: at + scrollMs,
    })
    expect(await isScrollFree(at + scrollMs - 1)).toBe(false)
    expect(await isScrollFree(at + scrollMs)).toBe(true)
  })

  it('stops if another run took its slot', async () => {
    now += scrollMs
    await state.takeScrollSlot({ runId: 'other', range: 0 }, 1, { now, until: now + leaseMs })
    await expect(increment.renew()).rejects.toThrow('Another run took a slot of this run.')
  })

  it('takes no slot while another run waits for its first one', async () => {
    await increment.closes()
    await state.waitForScrollSlot('other', now + leaseMs)
    expect(await increment.takeScrollSlot(0)).toBe(false)
  })

  it('stops before its next request if a full sync took the lease', async () => {
    await open('worker-2')
    await expect(increment.renew()).rejects.toThrow('Another run or worker took the lease.')
  })
})
