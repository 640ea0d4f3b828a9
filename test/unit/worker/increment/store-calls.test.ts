import { beforeAll, describe, expect, it } from 'vitest'
import { endFromOutside } from '../../../../functions/syncs/end-run.ts'
import { newIncrement } from '../../../../stored/run/increment-run.ts'
import { newRunId } from '../../../../stored/run/run.ts'
import { numbersToTry } from '../../../case-count.ts'
import { type AtCall, callsOf, withCall } from '../../store-calls.ts'
import { throttled } from '../worker-testbed.ts'
import { IncrementTestbed, incrementRequest } from './increment-testbed.ts'

const minute = 60_000
/** A scroll that a crashed worker left open has expired then, and so has its lease. */
const expiredMs = 23 * minute

/** An increment with something to deliver, which a caller of the API has started. */
async function prepare() {
  const testbed = new IncrementTestbed()
  await testbed.begin()
  testbed.now += 5 * minute
  const { entity, now } = testbed
  const runId = newRunId(now)
  await testbed.state.createRun(newIncrement({ runId, entity, execution: 'arn:execution', now }))
  testbed.update(2, 'second', now - minute)
  testbed.create(5, now - minute)
  return { testbed, runId }
}

let world: Awaited<ReturnType<typeof prepare>>
beforeAll(async () => {
  world = await prepare()
})

function prepared() {
  const { runId } = world
  const testbed = world.testbed.copy()
  return { testbed, runId, run: () => testbed.step(incrementRequest(runId)) }
}

/** What holds whenever nothing is at work. */
function expectTrue(testbed: IncrementTestbed): void {
  const { tip, announced, sets } = testbed.chain()
  const sent = testbed.events.flatMap(({ type, detail }) =>
    type === 'Changes Published' ? detail.runId : [],
  )
  expect(!announced || sent.includes(tip)).toBe(true)
  expect(
    sets
      .slice(0, -1)
      .map(({ runId }) => runId)
      .filter((runId) => !sent.includes(runId)),
  ).toEqual([])
  expect(testbed.repeats()).toEqual([])
}

/** The entity is free, and the next increment and the next full set bring readers to what the platform has. */
async function expectContinues(testbed: IncrementTestbed): Promise<void> {
  testbed.now += expiredMs
  testbed.update(4, 'later')
  expect(await testbed.increment()).toMatchObject({ status: 'published' })
  expectTrue(testbed)
  expect([...testbed.readerState().values()].toSorted()).toEqual(testbed.documents.toSorted())
  const { lease, incrementScroll } = await testbed.state.readEntity('CL')
  expect({ lease, incrementScroll }).toEqual({ lease: undefined, incrementScroll: undefined })
  const times = { now: testbed.now, until: testbed.now + minute }
  expect(await testbed.state.takeScrollSlot({ runId: 'free', range: 0 }, 1, times)).toBe(true)
  await testbed.state.releaseScrollSlot({ runId: 'free', range: 0 })
  testbed.now += 3 * 60 * minute
  await testbed.sync()
  expectTrue(testbed)
  expect([...testbed.readerState().values()].toSorted()).toEqual(testbed.documents.toSorted())
}

const listed = (testbed: IncrementTestbed) => testbed.chain().sets.map(({ runId }) => testbed.set(runId))

const windowEnd = (testbed: IncrementTestbed) =>
  Date.parse(testbed.chain().window?.to ?? new Date(0).toISOString())

async function cancel({ state, now }: IncrementTestbed): Promise<unknown> {
  const increment = await state.readIncrement('CL', world.runId)
  const end = { status: 'cancelled', reason: 'Cancelled.' } as const
  return increment && endFromOutside({ state, now: () => now }, increment, end)
}

async function callsOfIncrement(): Promise<number> {
  const { testbed, run } = prepared()
  return callsOf(testbed, run)
}

const stops: readonly AtCall[] = [{ kind: 'crash' }, { kind: 'failure' }]

describe.each(stops)('an increment that stops at any of its calls ($kind)', (happens) => {
  it.each([
    ['at once', async () => undefined],
    [
      'after another increment',
      async (testbed: IncrementTestbed) => {
        testbed.now += expiredMs
        testbed.update(3, 'between')
        await testbed.increment()
      },
    ],
    [
      'after another increment, to which the platform shows nothing of it',
      async (testbed: IncrementTestbed) => {
        testbed.now += expiredMs
        const { documents } = testbed
        testbed.documents = testbed.documents.slice(0, 1)
        await testbed.increment()
        testbed.documents = documents
      },
    ],
  ])('publishes once when its request is repeated %s', async (_, between) => {
    const calls = await callsOfIncrement()
    expect(calls).toBeGreaterThan(25)
    for (const call of numbersToTry(calls)) {
      const { testbed, runId, run } = prepared()
      await withCall(testbed, { call, happens }, run)
      await between(testbed)
      const before = listed(testbed)
      const covered = windowEnd(testbed)
      const wasPublished = before.some((set) => set.runId === runId)
      const response = await run()
      expect(['published', 'skipped']).toContain(response.status)
      expect(response).toMatchObject(wasPublished ? { status: 'published', records: 2 } : { runId })
      expect(await testbed.state.readIncrement('CL', runId)).toMatchObject({ status: response.status })
      // It has ended, so nobody waits for its lease.
      expect((await testbed.state.readEntity('CL')).lease).toBeUndefined()
      expect(listed(testbed).slice(0, before.length)).toEqual(before)
      expect(windowEnd(testbed)).toBeGreaterThanOrEqual(covered)
      await expectContinues(testbed)
    }
  })
})

describe('an increment, and a rival that does all of its work before any of its calls', () => {
  it('is published once or not at all, if the rival is another worker of it, and its item says which', async () => {
    const calls = await callsOfIncrement()
    let published = 0
    for (const call of numbersToTry(calls)) {
      const { testbed, runId, run } = prepared()
      const statuses: string[] = []
      const work = async () => statuses.push((await run()).status)
      await withCall(testbed, { call, happens: { kind: 'rival', work } }, work)
      const sets = listed(testbed).filter((set) => set.runId === runId).length
      const item = await testbed.state.readIncrement('CL', runId)
      const isPublished = statuses.includes('published')
      expect({ sets, status: item?.status }).toEqual(
        isPublished ? { sets: 1, status: 'published' } : { sets: 0, status: 'skipped' },
      )
      published += sets
      expectTrue(testbed)
    }
    expect(published).toBeGreaterThan(0)
  })

  it('is published by its item if it has a set, although the rival is another worker of it and fails', async () => {
    const calls = await callsOfIncrement()
    const ends = new Set<boolean>()
    for (let call = 1; call <= calls; call++) {
      const { testbed, runId, run } = prepared()
      const work = async () => {
        testbed.respond = () => throttled
        await run()
      }
      await withCall(testbed, { call, happens: { kind: 'rival', work } }, run).catch(() => undefined)
      const item = await testbed.state.readIncrement('CL', runId)
      const isPublished = listed(testbed).some((set) => set.runId === runId)
      expect(item?.status === 'published', `call ${call}`).toBe(isPublished)
      ends.add(isPublished)
    }
    expect(ends).toEqual(new Set([false, true]))
  })

  it.each<[string, (testbed: IncrementTestbed) => Promise<unknown>]>([
    ['a full sync', (testbed) => testbed.sync()],
    ['what cancels it', cancel],
    [
      'a full sync that cannot announce its set',
      async (testbed) => {
        const { publishEvent } = testbed
        testbed.publishEvent = () => Promise.reject(new Error('EventBridge is down.'))
        await testbed.sync()
        testbed.publishEvent = publishEvent
      },
    ],
  ])('are both true for readers: %s', async (_, work) => {
    const calls = await callsOfIncrement()
    for (const call of numbersToTry(calls)) {
      const { testbed, run } = prepared()
      await withCall(testbed, { call, happens: { kind: 'rival', work: () => work(testbed) } }, run)
      const response = await run()
      expect(['published', 'skipped', 'waiting', 'cancelled']).toContain(response.status)
      await expectContinues(testbed)
    }
  })

  it('are known by the later one if that began when the lease had ended', async () => {
    const calls = await callsOfIncrement()
    for (const call of numbersToTry(calls)) {
      const { testbed, run } = prepared()
      const work = async () => {
        testbed.now += 6 * minute
        testbed.update(3, 'between')
        await testbed.increment(0)
      }
      await withCall(testbed, { call, happens: { kind: 'rival', work } }, run)
      const { increments } = await testbed.state.readEntity('CL')
      expect(increments?.window?.to).toBe(testbed.chain().window?.to)
    }
  })

  it('publish nothing if it took the lease for a full sync, and lets the chain start again', async () => {
    const listings = new Set<boolean>()
    const { testbed: undisturbed } = prepared()
    const calls = await callsOf(undisturbed, () => undisturbed.increment(0))
    for (const call of numbersToTry(calls)) {
      const { testbed } = prepared()
      let isListed = false
      const work = async () => {
        isListed = testbed.chain().sets.some(({ kind }) => kind === 'increment')
        await testbed.takeLease()
        const chain = await testbed.changes.readLatest('CL')
        if (chain) await testbed.changes.writeLatest('CL', { ...chain.value, reset: 'Why.' }, chain)
      }
      await withCall(testbed, { call, happens: { kind: 'rival', work } }, () => testbed.increment(0))
      expect(testbed.chain().sets.some(({ kind }) => kind === 'increment')).toBe(isListed)
      listings.add(isListed)
    }
    expect(listings).toEqual(new Set([false, true]))
  })
})
