import { settleAll } from '../../runtime/settle-all.ts'

/** How a range's scroll stopped. */
export type RangeStop =
  | { readonly kind: 'proven' }
  /** The worker's time is up, or it was asked to stop. */
  | { readonly kind: 'interrupted' }
  /** Call again after `waitMs`. */
  | { readonly kind: 'wait'; readonly waitMs: number; readonly reason: string }
  /** All attempts of the range are used up. */
  | { readonly kind: 'unproven'; readonly reason: string }
  /** Nothing that is sent to the platform can succeed. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** There are no credentials yet. */
  | { readonly kind: 'skipped'; readonly reason: string }

export interface RangesIo {
  /** Scrolls a range until it stops, which it does soon once `stopRequested` is true. */
  scroll(range: number, stopRequested: () => boolean): Promise<RangeStop>
  /** Takes one of the slots for concurrent scrolls. False if none is free for this run. */
  takeSlot(range: number): Promise<boolean>
  releaseSlot(range: number): Promise<void>
  now(): number
  sleep(ms: number): Promise<void>
}

/** Interval at which a waiting range checks again. */
const pollMs = 1_000

/**
 * Scrolls as many ranges at the same time as there are slots. A waiting range does not delay the others; when
 * all of them wait, the run waits. One range that cannot be proven stops them all.
 */
export async function runRanges(ranges: readonly number[], io: RangesIo): Promise<RangeStop> {
  const group: Group = { busy: 0, stopped: false, slotReleased: Promise.withResolvers() }
  return mostImportant(await settleAll(ranges.map((range) => runRange(range, io, group))))
}

interface Group {
  /** Ranges that take a slot or scroll. */
  busy: number
  stopped: boolean
  /** Settles when one of them releases its slot. */
  slotReleased: PromiseWithResolvers<void>
}

async function runRange(range: number, io: RangesIo, group: Group): Promise<RangeStop> {
  let readyAt = io.now()
  let reason = 'All slots for concurrent scrolls are taken.'
  for (;;) {
    if (group.stopped) return { kind: 'interrupted' }
    const stop = io.now() < readyAt ? undefined : await scrollWithSlot(range, io, group)
    if (stop && stop.kind !== 'wait') return stop
    if (stop) {
      readyAt = io.now() + stop.waitMs
      reason = stop.reason
    }
    // No range is working, so the state machine waits instead of the worker.
    if (group.busy === 0) return { kind: 'wait', waitMs: Math.max(pollMs, readyAt - io.now()), reason }
    await Promise.race([io.sleep(pollMs), group.slotReleased.promise])
  }
}

/** Undefined if there is no slot for the range. */
async function scrollWithSlot(range: number, io: RangesIo, group: Group): Promise<RangeStop | undefined> {
  group.busy++
  try {
    if (!(await io.takeSlot(range))) return undefined
    try {
      const stop = await io.scroll(range, () => group.stopped)
      if (stop.kind !== 'proven' && stop.kind !== 'wait') group.stopped = true
      return stop
    } finally {
      await io.releaseSlot(range)
      group.slotReleased.resolve()
      group.slotReleased = Promise.withResolvers()
    }
  } catch (error) {
    group.stopped = true
    throw error
  } finally {
    group.busy--
  }
}

const importance = ['failed', 'skipped', 'unproven', 'interrupted', 'wait', 'proven'] as const

/** What the run does next. Of several waits, the shortest counts. */
function mostImportant(stops: readonly RangeStop[]): RangeStop {
  const [first = { kind: 'proven' }] = stops.toSorted(
    (a, b) => importance.indexOf(a.kind) - importance.indexOf(b.kind) || waitOf(a) - waitOf(b),
  )
  return first
}

const waitOf = (stop: RangeStop) => (stop.kind === 'wait' ? stop.waitMs : 0)
