import { describe, expect, it } from 'vitest'
import { type RangesIo, runRanges } from '../../../../functions/worker/ranges/run-ranges.ts'
import type { RangeStop } from '../../../../functions/worker/scroll-range.ts'

/** A world with `slots` slots and scripted scrolls, whose time passes only while all tasks sleep. */
function world(scripts: readonly (readonly (RangeStop & { tookMs?: number })[])[], slots = 99) {
  const readyAt: number[] = []
  const isOpen = new Set<number>()
  /** Until the first response. */
  const openMs = 10
  let now = 0
  const sleepers: { at: number; wake: () => void }[] = []
  const sleep = (ms: number) => new Promise<void>((wake) => sleepers.push({ at: now + ms, wake }))
  const owners = new Set<number>()
  const seen = {
    owners,
    slotRequests: 0,
    maxOpen: 0,
    started: [] as number[],
    startedAt: [] as number[],
    stopRequested: [] as number[],
  }
  const next = scripts.map(() => 0)
  let timeUpAt = Number.POSITIVE_INFINITY
  const io: RangesIo = {
    now: () => now,
    sleep,
    async takeSlot(range) {
      if (owners.has(range)) return true
      seen.slotRequests++
      if (owners.size >= slots) return false
      owners.add(range)
      seen.maxOpen = Math.max(seen.maxOpen, owners.size)
      return true
    },
    async releaseSlot(range) {
      owners.delete(range)
    },
    async scroll(range, { stopRequested, onOpened }) {
      seen.started.push(range)
      seen.startedAt.push(now)
      const at = next[range] ?? 0
      next[range] = at + 1
      const { tookMs = 100, ...stop } = scripts[range]?.[at] ?? { ...proven, tookMs: 100 }
      await sleep(openMs)
      onOpened()
      await sleep(tookMs - openMs)
      if (stopRequested()) seen.stopRequested.push(range)
      return stopRequested() || now >= timeUpAt ? { kind: 'interrupted' } : stop
    },
  }
  const run = async (timeUp = Number.POSITIVE_INFINITY) => {
    timeUpAt = timeUp
    let done = false
    const result = runRanges(
      scripts.map((_, index) => ({ index, readyAt: readyAt[index] ?? 0, isOpen: isOpen.has(index) })),
      io,
    ).finally(() => {
      done = true
    })
    result.catch(() => {})
    while (!done) {
      for (let turns = 0; turns < 50; turns++) await Promise.resolve()
      const soonest = sleepers.toSorted((a, b) => a.at - b.at)[0]
      if (!soonest) continue
      sleepers.splice(sleepers.indexOf(soonest), 1)
      now = Math.max(now, soonest.at)
      soonest.wake()
    }
    return result
  }
  return { io, seen, run, readyAt, isOpen }
}

const found = {
  proof: 'exact',
  documents: 1,
  uniqueIds: 1,
  received: 1,
  pages: 1,
  total: 1,
  openedAt: 0,
} as const
const proven: RangeStop = { kind: 'proven', found }
const wait = (waitMs: number): RangeStop => ({ kind: 'wait', waitMs, reason: 'throttled' })

describe('runRanges', () => {
  it('scrolls all ranges at the same time while there are slots', async () => {
    const { run, seen } = world([[proven], [proven], [proven]])
    expect(await run()).toMatchObject({ kind: 'proven' })
    expect(seen.maxOpen).toBe(3)
    expect(seen.owners.size).toBe(0)
  })

  it('opens a range when the previous one is open', async () => {
    const { run, seen } = world([[proven], [proven], [proven]])
    await run()
    expect(seen.startedAt).toEqual([0, 10, 20])
  })

  it('opens a range when the previous one has stopped before it was open', async () => {
    const { run, io, seen } = world([[wait(5_000), proven], [proven]])
    const scroll = io.scroll.bind(io)
    let first = true
    io.scroll = (range, group) => {
      const onOpened = first ? () => {} : group.onOpened
      first = false
      return scroll(range, { ...group, onOpened })
    }
    await run()
    expect(seen.started).toEqual([0, 1])
    expect(seen.startedAt[1]).toBe(100)
  })

  it('scrolls a range that has its slot although an earlier one has none', async () => {
    const { run, seen, isOpen } = world([[proven], [{ ...proven, tookMs: 90_000 }]], 1)
    seen.owners.add(1)
    isOpen.add(1)
    expect(await run()).toMatchObject({ kind: 'proven' })
    expect(seen.started).toEqual([1, 0])
  })

  it('waits a minute at most for a range that is open while another one has no slot', async () => {
    const { run, seen, isOpen } = world([[wait(90_000)], [proven]], 1)
    seen.owners.add(0)
    isOpen.add(0)
    expect(await run()).toEqual({ kind: 'wait', waitMs: 60_000, reason: 'throttled' })
  })

  it('waits 25 minutes at most, whatever clock an earlier worker had', async () => {
    const { run, readyAt } = world([[proven], [proven]])
    readyAt.push(0, 24 * 60 * 60_000)
    const stop = await run()
    expect(stop.kind === 'wait' && stop.waitMs).toBeLessThanOrEqual(25 * 60_000)
  })

  it('takes the slot of an open range that an earlier worker left waiting', async () => {
    const { run, seen, isOpen, readyAt } = world([[proven], [proven]])
    isOpen.add(1)
    readyAt.push(0, 90_000)
    expect(await run()).toMatchObject({ kind: 'wait' })
    expect([...seen.owners]).toEqual([1])
  })

  it('begins with one slot and scrolls every range', async () => {
    const { run, seen } = world([[proven], [proven], [proven]], 1)
    expect(await run()).toMatchObject({ kind: 'proven' })
    expect(seen.maxOpen).toBe(1)
    expect(new Set(seen.started)).toEqual(new Set([0, 1, 2]))
  })

  it('starts a waiting range as soon as another one releases its slot', async () => {
    const { seen, run } = world([[{ ...proven, tookMs: 100 }], [{ ...proven, tookMs: 100 }]], 1)
    expect(await run()).toMatchObject({ kind: 'proven' })
    expect(seen.startedAt).toEqual([0, 100])
  })

  it('waits in the worker for a range while others scroll', async () => {
    const { run, seen } = world([[wait(5_000), proven], [{ ...proven, tookMs: 60_000 }]])
    expect(await run()).toMatchObject({ kind: 'proven' })
    expect(seen.started).toEqual([0, 1, 0])
  })

  it('hands the shortest wait to the state machine when every range waits', async () => {
    const { run } = world([[wait(90_000)], [wait(60_000)], [proven]])
    const stop = await run()
    expect(stop).toMatchObject({ kind: 'wait', reason: 'throttled' })
    expect(stop.kind === 'wait' && stop.waitMs).toBeGreaterThan(50_000)
    expect(stop.kind === 'wait' && stop.waitMs).toBeLessThanOrEqual(60_000)
  })

  it('asks once for a slot and stops at once when none is free', async () => {
    const { run, seen } = world([[proven], [proven]], 0)
    expect(await run()).toEqual({ kind: 'no-slot' })
    expect(seen.slotRequests).toBe(1)
  })

  it('looks for a slot every second while it scrolls other ranges', async () => {
    const { run, seen } = world([[{ ...proven, tookMs: 10_000 }], [proven]], 1)
    expect(await run()).toMatchObject({ kind: 'proven' })
    expect(seen.slotRequests).toBe(12)
  })

  it('starts the ranges in their order, also those that waited', async () => {
    const { run, seen, readyAt } = world([[proven], [proven], [proven]], 1)
    readyAt[0] = 50
    expect(await run()).toMatchObject({ kind: 'proven' })
    expect(seen.started).toEqual([1, 0, 2])
  })

  it('begins at once with the first range that an earlier worker left waiting, and later with others', async () => {
    const { run, readyAt, seen } = world([[proven], [proven]])
    readyAt.push(90_500, 90_000)
    expect(await run()).toMatchObject({ kind: 'proven' })
    expect(seen.started).toEqual([1, 0])
    expect(seen.startedAt[0]).toBe(0)
    expect(seen.startedAt[1]).toBeGreaterThanOrEqual(500)
  })

  it('waits for a range that an earlier worker left waiting while others were scrolled', async () => {
    const { run, readyAt } = world([[proven], [proven]])
    readyAt.push(0, 60_000)
    expect(await run()).toEqual({ kind: 'wait', waitMs: 59_900, reason: 'A range waits for the platform.' })
  })

  it('keeps the slots of ranges that wait or are interrupted, whose scrolls are open', async () => {
    const waiting = world([[wait(90_000)], [proven]])
    await waiting.run()
    expect([...waiting.seen.owners]).toEqual([0])
    const stopped = world([[{ kind: 'interrupted' }], [proven]])
    await stopped.run()
    expect([...stopped.seen.owners]).toEqual([0, 1])
  })

  it.each<RangeStop>([
    { kind: 'unproven', reason: 'short' },
    { kind: 'failed', reason: 'rejected' },
  ])('stops the other ranges when one is %o', async (stop) => {
    const { run, seen } = world([[stop], [{ ...proven, tookMs: 60_000 }], [{ ...proven, tookMs: 90_000 }]])
    expect(await run()).toEqual(stop)
    expect(seen.stopRequested).toEqual([1, 2])
    expect([...seen.owners]).toEqual([1, 2])
  })

  it('is interrupted when the time is up', async () => {
    const { run } = world([[wait(5_000), proven], [{ ...proven, tookMs: 60_000 }]])
    expect(await run(3_000)).toEqual({ kind: 'interrupted' })
  })

  it('throws what a scroll throws after the others have stopped', async () => {
    const { run, io, seen } = world([[{ ...proven, tookMs: 5_000 }], [proven]])
    const scroll = io.scroll.bind(io)
    io.scroll = async (range, group) => {
      if (range === 1) throw new Error('lost')
      return scroll(range, group)
    }
    await expect(run()).rejects.toThrow('lost')
    expect(seen.stopRequested).toEqual([0])
    expect([...seen.owners]).toEqual([0, 1])
  })
})
