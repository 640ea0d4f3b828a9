import type { RangeStop } from '../scroll-range.ts'

/** How all of them stopped. */
export type RangesStop =
  | Exclude<RangeStop, { kind: 'proven' }>
  | { readonly kind: 'proven' }
  /** No range has a slot for concurrent scrolls. */
  | { readonly kind: 'no-slot' }

export interface RangesIo {
  scroll(range: number, group: RangeInGroup): Promise<RangeStop>
  /** Takes one of the slots for concurrent scrolls. False if none is free for this run. */
  takeSlot(range: number): Promise<boolean>
  releaseSlot(range: number): Promise<void>
  now(): number
  sleep(ms: number): Promise<void>
}

/** How a range coordinates with the others. */
export interface RangeInGroup {
  /** True if the range must stop soon. */
  readonly stopRequested: () => boolean
  /** Called when the scroll is open at the platform, so that the next one may be opened. */
  readonly onOpened: () => void
}

/** A range that is not scrolled at the moment. */
export interface IdleRange {
  readonly index: number
  /** True if its scroll may be open at the platform. */
  readonly isOpen: boolean
  /** Epoch milliseconds. */
  readonly readyAt: number
}

/** Interval at which a worker that scrolls other ranges looks for a free slot. */
const pollMs = 1_000
/** A run whose ranges wait or lack a slot looks for one after this time at the latest. */
const maxWaitForSlotMs = 60_000
/** No range waits longer than this. A later time comes from a clock that was wrong. */
const maxWaitMs = 25 * 60_000

/**
 * Scrolls as many ranges at the same time as there are slots, and opens them in their order. A range that waits does not
 * delay the others; when all of them wait, the run waits. One range that cannot be proven stops them all.
 */
export const runRanges = (ranges: readonly IdleRange[], io: RangesIo): Promise<RangesStop> =>
  new RangeGroup(ranges, io).run()

class RangeGroup {
  readonly #io: RangesIo
  #idle: (IdleRange & { readonly reason: string })[]
  readonly #active = new Map<number, Promise<void>>()
  readonly #stops: RangeStop[] = []
  #failure: { readonly error: unknown } | undefined
  #isStopped = false
  #slotTriedAt = Number.NEGATIVE_INFINITY

  constructor(ranges: readonly IdleRange[], io: RangesIo) {
    this.#io = io
    // If all of them wait, the state machine has waited for the first one already, by its own clock.
    const aheadMs = Math.max(0, Math.min(...ranges.map(({ readyAt }) => readyAt)) - io.now())
    const latest = io.now() + maxWaitMs
    this.#idle = ranges.map((range) => ({
      ...range,
      readyAt: Math.min(latest, range.readyAt - aheadMs),
      reason: 'A range waits for the platform.',
    }))
  }

  async run(): Promise<RangesStop> {
    // Scrolls that wait are open at the platform. Their slots are renewed with those of the others.
    for (const { index, isOpen } of this.#waiting()) if (isOpen) await this.#takeSlot(index)
    for (;;) {
      await this.#start()
      if (this.#active.size === 0) {
        if (this.#failure) throw this.#failure.error
        const stop = this.#end()
        if (stop) return stop
      }
      const poll = this.#idle.length > 0 && !this.#isStopped ? [this.#io.sleep(pollMs)] : []
      await Promise.race([...this.#active.values(), ...poll])
    }
  }

  #waiting() {
    return this.#idle.filter(({ readyAt }) => readyAt > this.#io.now())
  }

  /** Starts the ranges that are ready and have a slot. They are opened in their order, one after the other. */
  async #start(): Promise<void> {
    if (this.#io.now() < this.#slotTriedAt + pollMs) return
    let hasFreeSlot = true
    for (const { index, readyAt, isOpen } of this.#idle) {
      if (this.#isStopped) return
      // One that is open may have a slot already.
      if (readyAt > this.#io.now() || !(hasFreeSlot || isOpen)) continue
      if (await this.#takeSlot(index)) await this.#open(index)
      else hasFreeSlot = false
    }
    if (!hasFreeSlot) this.#slotTriedAt = this.#io.now()
  }

  async #takeSlot(index: number): Promise<boolean> {
    try {
      return await this.#io.takeSlot(index)
    } catch (error) {
      this.#fail(error)
      return false
    }
  }

  /** Begins to scroll a range, and waits until its scroll is open or has stopped. */
  async #open(index: number): Promise<void> {
    this.#idle = this.#idle.filter((range) => range.index !== index)
    const opened = Promise.withResolvers<void>()
    this.#active.set(index, this.#scroll(index, opened.resolve).finally(opened.resolve))
    await opened.promise
  }

  /** Never rejects, so that a failure waits for the other ranges. */
  async #scroll(index: number, onOpened: () => void): Promise<void> {
    try {
      const stop = await this.#io.scroll(index, { stopRequested: () => this.#isStopped, onOpened })
      if (stop.kind === 'wait') {
        const readyAt = this.#io.now() + stop.waitMs
        const waiting = { index, isOpen: true, readyAt, reason: stop.reason }
        this.#idle = [...this.#idle, waiting].toSorted((a, b) => a.index - b.index)
      } else {
        this.#stops.push(stop)
        if (stop.kind !== 'proven') this.#isStopped = true
        // A scroll that waits or is interrupted is open at the platform, so it keeps its slot.
        if (stop.kind !== 'interrupted') await this.#io.releaseSlot(index)
      }
    } catch (error) {
      this.#fail(error)
    }
    this.#slotTriedAt = Number.NEGATIVE_INFINITY
    this.#active.delete(index)
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#isStopped = true
  }

  /** Undefined if a range is ready within moments. */
  #end(): RangesStop | undefined {
    if (this.#isStopped || this.#idle.length === 0) return mostImportant(this.#stops)
    const [next] = this.#waiting().toSorted((a, b) => a.readyAt - b.readyAt)
    if (!next) return { kind: 'no-slot' }
    const lacksSlot = this.#waiting().length < this.#idle.length
    const waitMs = Math.min(next.readyAt - this.#io.now(), lacksSlot ? maxWaitForSlotMs : maxWaitMs)
    return waitMs > pollMs ? { kind: 'wait', waitMs, reason: next.reason } : undefined
  }
}

const importance: readonly RangeStop['kind'][] = ['failed', 'skipped', 'unproven', 'interrupted', 'proven']

function mostImportant(stops: readonly RangeStop[]): RangesStop {
  const [first] = stops.toSorted((a, b) => importance.indexOf(a.kind) - importance.indexOf(b.kind))
  return first && first.kind !== 'proven' ? first : { kind: 'proven' }
}
