import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { beforeEach, describe, expect, it } from 'vitest'
import { createStateStore } from '../../../functions/state/sync-state.aws.ts'
import { MemoryDynamoDb } from '../../simulation/memory-dynamodb.ts'

const now = 1_000
const until = 2_000
let state: ReturnType<typeof createStateStore>
let dynamodb: MemoryDynamoDb

beforeEach(() => {
  dynamodb = new MemoryDynamoDb()
  state = createStateStore('state', dynamodb as unknown as DynamoDBClient)
})

const take = (runId: string, range: number, { count = 2, at = now }: { count?: number; at?: number } = {}) =>
  state.takeScrollSlot({ runId, range }, count, { now: at, until: at + (until - now) })

describe('the slots for concurrent scrolls', () => {
  it('are taken by as many ranges as there are slots', async () => {
    expect([await take('a', 0), await take('b', 0), await take('a', 1)]).toEqual([true, true, false])
  })

  it('are kept by the range that has one, and extended', async () => {
    await take('a', 0)
    await take('b', 0)
    expect(await take('b', 0, { at: until - 1 })).toBe(true)
    expect(await take('c', 0, { at: until })).toBe(true)
    expect(await take('d', 0, { at: until })).toBe(false)
  })

  it('are free again when their time is over', async () => {
    await take('a', 0, { count: 1 })
    expect(await take('b', 0, { count: 1, at: until - 1 })).toBe(false)
    expect(await take('b', 0, { count: 1, at: until })).toBe(true)
  })

  it('are not kept beyond a number that was lowered', async () => {
    await take('a', 0, { count: 3 })
    await take('b', 0, { count: 3 })
    await take('c', 0, { count: 3 })
    expect(await take('c', 0, { count: 2 })).toBe(false)
    expect(await take('b', 0, { count: 2 })).toBe(true)
  })

  it('are released for other runs, each for one range', async () => {
    await take('a', 0)
    await take('a', 1)
    await state.releaseScrollSlot({ runId: 'a', range: 1 })
    expect(await take('b', 0)).toBe(true)
    expect(await take('b', 1)).toBe(false)
    await state.releaseScrollSlot({ runId: 'x', range: 0 })
    expect(await take('b', 1)).toBe(false)
  })

  it('are released by the end of their run', async () => {
    await take('a', 0)
    await take('a', 1)
    await state.release('CL', 'a')
    expect([await take('b', 0), await take('b', 1)]).toEqual([true, true])
  })

  it('are stored with what they are taken for', async () => {
    const items: unknown[] = []
    dynamodb.onWrite = (_pk, _sk, { after }) => items.push(after)
    await take('a', 7)
    expect(items).toEqual([
      expect.objectContaining({
        pk: { S: 'scroll-slots' },
        sk: { S: 'slot#001' },
        runId: { S: 'a' },
        range: { N: '7' },
        slot: { N: '1' },
        until: { N: String(until) },
      }),
    ])
  })
})

describe('a run that waits for its first scroll', () => {
  beforeEach(async () => {
    await take('a', 0, { count: 3 })
    await state.waitForScrollSlot('waiting', until)
  })

  it('keeps runs that have a scroll from taking more, until its time is over', async () => {
    expect(await take('a', 1, { count: 3, at: until - 1 })).toBe(false)
    await take('a', 0, { count: 3, at: until })
    expect(await take('a', 1, { count: 3, at: until })).toBe(true)
  })

  it('does not keep them from keeping the scroll that they have', async () => {
    expect(await take('a', 0, { count: 3 })).toBe(true)
  })

  it('does not keep a run from taking its own first scroll', async () => {
    expect(await take('b', 0, { count: 3 })).toBe(true)
    expect(await take('waiting', 0, { count: 3 })).toBe(true)
  })

  it('may take more itself', async () => {
    await take('waiting', 0, { count: 3 })
    await state.waitForScrollSlot('waiting', until)
    expect(await take('waiting', 1, { count: 3 })).toBe(true)
  })

  it('does not wait any more once it has a scroll', async () => {
    await take('waiting', 0, { count: 3 })
    expect(await take('a', 1, { count: 3 })).toBe(true)
  })
})
