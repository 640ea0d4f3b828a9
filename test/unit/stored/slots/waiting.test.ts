import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { TableClient } from '../../../../stored/dynamodb/state-table.ts'
import { itemVersion } from '../../../../stored/item-version.ts'
import type { Slots } from '../../../../stored/slots/hand-over.ts'
import type { Waker, Woken } from '../../../../stored/slots/slots.ts'
import { createStateStore } from '../../../../stored/sync-state.ts'
import { runsToTry } from '../../../case-count.ts'
import { MemoryDynamoDb } from '../../../simulation/stores/memory-dynamodb.ts'

const now = 1_000
const minute = 60_000
const until = now + 10 * minute

function processOf(client: TableClient, wake: Waker['wake'], { count = 1, at = (): number => now } = {}) {
  const waker = { counts: { syncs: count, scrolls: count }, now: at, wake, name: 'Worker' }
  return createStateStore(client, async () => {}, waker)
}

const woken = () => vi.fn<Waker['wake']>(async () => ({ kind: 'woken' }))

/** The run `a` has the only slot. */
async function withOneSlot(wake = woken()) {
  const dynamodb = new MemoryDynamoDb()
  const state = processOf(dynamodb, wake)
  await state.takeSlot('a', 1, { now, until })
  const queued = () =>
    dynamodb
      .items('slots')
      .filter(({ sk }) => sk.startsWith('waiting#'))
      .map(({ sk }) => sk)
  const owners = (limit = 'syncs') => dynamodb.item<Slots>('slots', limit)?.owners.map(({ runId }) => runId)
  const wait = (runId: string) => state.awaitSlot('syncs', { runId, until, token: `token of ${runId}` })
  return { wake, dynamodb, state, queued, owners, wait }
}

describe('a run that waits for a slot', () => {
  it('is woken by the release, once, with the slot in its name', async () => {
    const { wake, state, queued, owners, wait } = await withOneSlot()
    await wait('c')
    await wait('b')
    expect(queued()).toEqual(['waiting#syncs#b', 'waiting#syncs#c'])
    await state.releaseSlots('a')
    await state.releaseSlots('a')
    expect(wake.mock.calls).toEqual([['token of b']])
    expect(owners()).toEqual(['b'])
    expect(queued()).toEqual(['waiting#syncs#c'])
  })

  it('is woken at once if the slot became free before it was queued', async () => {
    const { wake, state, owners, wait } = await withOneSlot()
    await state.releaseSlots('a')
    await wait('b')
    expect(wake.mock.calls).toEqual([['token of b']])
    expect(owners()).toEqual(['b'])
  })

  it('is woken at once if it was handed a slot before it could be woken', async () => {
    const { wake, state, wait } = await withOneSlot()
    await state.queueRun('syncs', { runId: 'b', until: now + minute })
    await state.releaseSlots('a')
    expect(wake).not.toHaveBeenCalled()
    await wait('b')
    expect(wake.mock.calls).toEqual([['token of b']])
  })

  it('is woken by a release that read the queue before it was queued', async () => {
    const { wake, dynamodb, state, owners, wait } = await withOneSlot()
    dynamodb.onWrite = ({ sk }) => {
      if (sk !== 'syncs') return
      dynamodb.onWrite = undefined
      const key = { pk: 'slots', sk: 'waiting#syncs#b' }
      const item = { ...key, runId: 'b', until, token: 'token of b', version: itemVersion }
      dynamodb.writeNow({ kind: 'put', item, condition: {} })
    }
    await state.releaseSlots('a')
    expect(wake.mock.calls).toEqual([['token of b']])
    expect(owners()).toEqual(['b'])
    await wait('c')
    expect(wake).toHaveBeenCalledTimes(1)
  })

  it('is woken by a release that read the queue before its execution waited, and hands over after it looked', async () => {
    const { wake, dynamodb, state, wait } = await withOneSlot()
    await state.queueRun('syncs', { runId: 'b', until: now + minute })
    const write = dynamodb.write.bind(dynamodb)
    dynamodb.write = async (request) => {
      if (request.kind !== 'put' || request.item.sk !== 'syncs') return write(request)
      dynamodb.write = write
      await wait('b')
      expect(wake).not.toHaveBeenCalled()
      return write(request)
    }
    await state.releaseSlots('a')
    expect(wake.mock.calls).toEqual([['token of b']])
  })

  it('keeps its place and its token when it is queued again late', async () => {
    const { wake, state, wait } = await withOneSlot()
    await wait('b')
    await state.queueRun('syncs', { runId: 'b', until: now + minute })
    await state.releaseSlots('a')
    expect(wake.mock.calls).toEqual([['token of b']])
  })

  it('is passed over if its execution was stopped, for as long as there are others', async () => {
    const wake = vi.fn<Waker['wake']>(async (token) => ({ kind: token === 'token of d' ? 'woken' : 'gone' }))
    const { state, queued, owners, wait } = await withOneSlot(wake)
    for (const runId of ['b', 'c', 'd']) await wait(runId)
    await state.releaseSlots('a')
    expect(wake.mock.calls.flat()).toEqual(['token of b', 'token of c', 'token of d'])
    expect([owners(), queued()]).toEqual([['d'], []])
  })

  it('leaves the queue when it ends', async () => {
    const { wake, state, queued, wait } = await withOneSlot()
    await wait('b')
    await state.releaseSlots('b')
    expect(queued()).toEqual([])
    await state.releaseSlots('a')
    expect(wake).not.toHaveBeenCalled()
  })

  it('leaves its slot to everybody at once if it cannot be woken, which is known, and is woken later', async () => {
    const wake = vi.fn<Waker['wake']>(async () => ({ kind: 'failed', reason: 'Denied.' }))
    const { dynamodb, state, queued, owners, wait } = await withOneSlot(wake)
    await wait('b')
    await state.releaseSlots('a')
    expect([owners(), queued()]).toEqual([[], ['waiting#syncs#b']])
    const failed = { by: 'Worker', runId: 'b', reason: 'Denied.', since: new Date(now).toISOString() }
    expect(await state.readNotWoken(now)).toMatchObject([failed])
    const later = woken()
    const other = processOf(dynamodb, later)
    await other.offerSlots()
    expect(await state.readNotWoken(now)).toEqual([])
    expect(later.mock.calls).toEqual([['token of b']])
    expect([owners(), queued()]).toEqual([['b'], []])
  })

  it('is known not to be woken until any process of the function wakes another one', async () => {
    const dynamodb = new MemoryDynamoDb()
    let [at, kind]: [number, Woken['kind']] = [now, 'woken']
    const wake = async () => ({ kind, reason: 'Denied.' }) as Woken
    const [one, other] = [0, 1].map(() => processOf(dynamodb, wake, { at: () => at }))
    for (const [state, response, minutes, since] of [
      [one, 'woken', 0, []],
      [other, 'failed', 1, [1]],
      // It reads what others have stored only every few minutes.
      [one, 'woken', 4, [1]],
      [one, 'woken', 5, []],
      [other, 'failed', 6, [6]],
      [one, 'failed', 7, [6]],
      [one, 'gone', 20, [6]],
      [one, 'woken', 21, []],
    ] as const) {
      ;[at, kind] = [now + minutes * minute, response]
      await state?.takeSlot('owner', 1, { now: at, until: at + minute })
      await state?.awaitSlot('syncs', { runId: 'b', until: at + minute, token: 'token of b' })
      for (const ended of ['owner', 'b']) await state?.releaseSlots(ended)
      const known = await state?.readNotWoken(at)
      expect(known?.map((failed) => (Date.parse(failed.since) - now) / minute)).toEqual(since)
    }
  })

  it.each([
    ['has expired, since its owner crashed', until + 1, ['token of b']],
    ['is still taken', now, []],
  ])('is woken by the next look for problems only if a slot %s', async (_, at, tokens) => {
    const { dynamodb, state, owners } = await withOneSlot()
    for (const runId of ['c', 'b'])
      await state.awaitSlot('syncs', { runId, until: until + minute, token: `token of ${runId}` })
    const wake = woken()
    await processOf(dynamodb, wake, { at: () => at }).offerSlots()
    expect(wake.mock.calls.flat()).toEqual(tokens)
    expect(owners()).toEqual(tokens.length > 0 ? ['b'] : ['a'])
  })

  it('is removed from the queue if it stayed there beyond its time', async () => {
    const { wake, state, queued } = await withOneSlot()
    await state.awaitSlot('syncs', { runId: 'b', until: now, token: 'token of b' })
    await state.releaseSlots('a')
    expect([queued(), wake.mock.calls]).toEqual([[], []])
  })

  it('stays in the queue if it begins to wait again while its earlier wait is removed', async () => {
    const { dynamodb, state, queued, wait } = await withOneSlot()
    await state.queueRun('syncs', { runId: 'b', until: now })
    const write = dynamodb.write.bind(dynamodb)
    dynamodb.write = async (request) => {
      if (request.kind !== 'remove') return write(request)
      dynamodb.write = write
      await wait('b')
      return write(request)
    }
    await wait('c')
    expect(queued()).toEqual(['waiting#syncs#b', 'waiting#syncs#c'])
  })

  it('is woken although others that waited beyond their time are before it in the queue', async () => {
    const { wake, state, owners, wait } = await withOneSlot()
    await wait('b')
    for (const runId of ['0', '1']) await state.queueRun('syncs', { runId, until: now })
    await state.releaseSlots('a')
    expect([owners(), wake.mock.calls]).toEqual([['b'], [['token of b']]])
  })

  it('is not woken for its earlier slot, which has expired', async () => {
    const wake = woken()
    const dynamodb = new MemoryDynamoDb()
    const before = processOf(dynamodb, wake, { count: 2 })
    await before.takeSlot('b', 2, { now, until })
    await before.takeSlot('a', 2, { now, until: until + minute })
    const fewer = processOf(dynamodb, wake, { count: 1, at: () => until })
    await fewer.awaitSlot('syncs', { runId: 'b', until: until + minute, token: 'token of b' })
    expect(wake).not.toHaveBeenCalled()
  })

  it('finds a slot itself if what freed it could not wake anybody', async () => {
    const { dynamodb, owners, wait } = await withOneSlot()
    await wait('b')
    await createStateStore(dynamodb).releaseSlots('a')
    expect(owners()).toEqual([])
    expect(await createStateStore(dynamodb).takeSlot('b', 1, { now, until })).toBe(true)
  })

  it('for a scroll is woken when a range ends, and nobody looks for it while nobody waits', async () => {
    const wake = woken()
    const dynamodb = new MemoryDynamoDb()
    const state = processOf(dynamodb, wake)
    const range = { runId: 'a', range: 2 }
    await state.takeScrollSlot(range, 1, { now, until })
    const read = vi.spyOn(dynamodb, 'read')
    await state.releaseScrollSlot(range)
    expect(read).not.toHaveBeenCalled()
    await state.takeScrollSlot(range, 1, { now, until })
    await state.waitForScrollSlot('b', until)
    await state.awaitSlot('scrolls', { runId: 'b', until, token: 'token of b' })
    await state.releaseScrollSlot(range)
    expect(wake.mock.calls).toEqual([['token of b']])
    expect(await state.takeScrollSlot({ runId: 'b', range: 7 }, 1, { now, until })).toBe(true)
  })
})

interface Waiting {
  readonly token: string
  readonly wake: () => void
}

it('runs that wait at the same time, in any order of their requests, all get a slot although none of them looks for one twice, and never more at once than allowed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        scheduler: fc.scheduler(),
        runs: fc.integer({ min: 2, max: 5 }),
        count: fc.integer({ min: 1, max: 2 }),
        stopped: fc.subarray(['1', '2', '3', '4', '5']),
      }),
      async ({ scheduler, runs, count, stopped }) => {
        const dynamodb = new MemoryDynamoDb()
        const executions = new Map<string, Waiting>()
        const client: TableClient = {
          read: async (request) => {
            await scheduler.schedule(Promise.resolve(), 'read')
            return dynamodb.readNow(request)
          },
          write: async (request) => {
            await scheduler.schedule(Promise.resolve(), 'write')
            const result = dynamodb.writeNow(request)
            const owners = dynamodb.item<Slots>('slots', 'syncs')?.owners ?? []
            expect(owners.length).toBeLessThanOrEqual(count)
            return result
          },
        }
        const wake: Waker['wake'] = async (token) => {
          await scheduler.schedule(Promise.resolve(), 'wake')
          const waiting = executions.get(token)
          executions.delete(token)
          waiting?.wake()
          return { kind: waiting ? 'woken' : 'gone' }
        }
        const take = (runId: string) =>
          processOf(client, wake, { count }).takeSlot(runId, count, { now, until })
        const run = async (runId: string) => {
          for (let tries = 0; !(await take(runId)); tries++) {
            const token = `${runId}#${tries}`
            const { promise, resolve } = Promise.withResolvers<void>()
            const isStopped = stopped.includes(runId)
            await processOf(client, wake, { count }).queueRun('syncs', { runId, until: now + minute })
            if (!isStopped) executions.set(token, { token, wake: resolve })
            await processOf(client, wake, { count }).awaitSlot('syncs', { runId, until, token })
            if (isStopped) return
            await promise
          }
          await processOf(client, wake, { count }).releaseSlots(runId)
        }
        const ids = Array.from({ length: runs }, (_, index) => String(index + 1))
        const ended = vi.fn<() => void>()
        void Promise.all(ids.map(run)).then(ended)
        await scheduler.waitIdle()
        expect(ended).toHaveBeenCalled()
        expect(dynamodb.item<Slots>('slots', 'syncs')?.owners).toEqual([])
      },
    ),
    { numRuns: runsToTry(300) },
  )
})
