import { describe, expect, it } from 'vitest'
import {
  type RangeStop,
  type RangesIo,
  runRanges,
} from '../../../../functions/worker/partitions/run-ranges.ts'

/** A world whose time passes only while everybody sleeps, with `slots` slots and scripted scrolls. */
function world(scripts: readonly (readonly (RangeStop & { tookMs?: number })[])[], slots = 99) {
  let now = 0
  const sleepers: { at: number; wake: () => void }[] = []
  const sleep = (ms: number) => new Promise<void>((wake) => sleepers.push({ at: now + ms, wake }))
  const seen = {
    open: 0,
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
    async takeSlot() {
      if (seen.open >= slots) return false
      seen.open++
      seen.maxOpen = Math.max(seen.maxOpen, seen.open)
      return true
    },
    async releaseSlot() {
      seen.open--
    },
    async scroll(range, stopRequested) {
      seen.started.push(range)
      seen.startedAt.push(now)
      const at = next[range] ?? 0
      next[range] = at + 1
      const { tookMs = 100, ...stop } = scripts[range]?.[at] ?? { kind: 'proven' as const }
      await sleep(tookMs)
      if (stopRequested()) seen.stopRequested.push(range)
      return stopRequested() || now >= timeUpAt ? { kind: 'interrupted' } : stop
    },
  }
  const run = async (timeUp = Number.POSITIVE_INFINITY) => {
    timeUpAt = timeUp
    let done = false
    const result = runRanges(
      scripts.map((_, index) => index),
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
  return { io, seen, run }
}

const proven: RangeStop = { kind: 'proven' }
const wait = (waitMs: number): RangeStop => ({ kind: 'wait', waitMs, reason: 'throttled' })

describe('runRanges', () => {
  it('scrolls all ranges side by side while there are slots', async () => {
    const { run, seen } = world([[proven], [proven], [proven]])
    expect(await run()).toEqual(proven)
    expect(seen.maxOpen).toBe(3)
    expect(seen.open).toBe(0)
  })

  it('begins with one slot and scrolls every range', async () => {
    const { run, seen } = world([[proven], [proven], [proven]], 1)
    expect(await run()).toEqual(proven)
    expect(seen.maxOpen).toBe(1)
    expect(new Set(seen.started)).toEqual(new Set([0, 1, 2]))
  })

  it('starts a waiting range as soon as another one releases its slot', async () => {
    const { seen, run } = world([[{ ...proven, tookMs: 100 }], [{ ...proven, tookMs: 100 }]], 1)
    expect(await run()).toEqual(proven)
    expect(seen.startedAt).toEqual([0, 100])
  })

  it('waits in the worker for a range while others scroll', async () => {
    const { run, seen } = world([[wait(5_000), proven], [{ ...proven, tookMs: 60_000 }]])
    expect(await run()).toEqual(proven)
    expect(seen.started).toEqual([0, 1, 0])
  })

  it('hands the shortest wait to the state machine when every range waits', async () => {
    const { run } = world([[wait(90_000)], [wait(60_000)], [proven]])
    const stop = await run()
    expect(stop).toMatchObject({ kind: 'wait', reason: 'throttled' })
    expect(stop.kind === 'wait' && stop.waitMs).toBeGreaterThan(50_000)
    expect(stop.kind === 'wait' && stop.waitMs).toBeLessThanOrEqual(60_000)
  })

  it('waits when no slot is free', async () => {
    const { run } = world([[proven], [proven]], 0)
    expect(await run()).toMatchObject({ kind: 'wait', reason: expect.stringContaining('slots') })
  })

  it.each<RangeStop>([
    { kind: 'unproven', reason: 'short' },
    { kind: 'failed', reason: 'rejected' },
  ])('stops the other ranges when one is %o', async (stop) => {
    const { run, seen } = world([[stop], [{ ...proven, tookMs: 60_000 }], [{ ...proven, tookMs: 90_000 }]])
    expect(await run()).toEqual(stop)
    expect(seen.stopRequested).toEqual([1, 2])
    expect(seen.open).toBe(0)
  })

  it('is interrupted when the time is up', async () => {
    const { run } = world([[wait(5_000), proven], [{ ...proven, tookMs: 60_000 }]])
    expect(await run(3_000)).toEqual({ kind: 'interrupted' })
  })

  it('throws what a scroll throws after the others have stopped', async () => {
    const { run, io, seen } = world([[proven], [{ ...proven, tookMs: 5_000 }]])
    const scroll = io.scroll.bind(io)
    io.scroll = async (range, stopRequested) => {
      if (range === 0) throw new Error('lost')
      return scroll(range, stopRequested)
    }
    await expect(run()).rejects.toThrow('lost')
    expect(seen.stopRequested).toEqual([1])
    expect(seen.open).toBe(0)
  })
})
