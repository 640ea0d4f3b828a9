import { putAhead } from './put-ahead.ts'

/** The clock of `npm start`. Everything in this process sees it, and threads that are given `shared`. */
export class LocalClock {
  /** How far it is ahead of the machine's, in milliseconds. */
  readonly shared = new Float64Array(new SharedArrayBuffer(8))
  /** Shows the machine's time again. */
  readonly undo: () => void
  readonly #sleepers = new Set<{ readonly until: number; readonly wake: () => void }>()

  constructor(aheadMs: number) {
    this.shared[0] = aheadMs
    this.undo = followShared(this.shared)
  }

  get aheadMs(): number {
    return this.shared[0] ?? 0
  }

  /** A wait that ends when the clock shows its end, or when it is `interrupted`. */
  sleep(ms: number, interrupted?: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = () => {
      clearTimeout(timer)
      this.#sleepers.delete(sleeper)
      resolve()
    }
    const sleeper = { until: Date.now() + ms, wake }
    const timer = setTimeout(wake, ms)
    this.#sleepers.add(sleeper)
    void interrupted?.then(wake)
    return promise
  }

  /** When the next wait ends, in epoch milliseconds; never without one. */
  nextWake(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...[...this.#sleepers].map(({ until }) => until))
  }

  /** Moves the clock forward to this time, in epoch milliseconds. */
  advanceTo(time: number): void {
    this.advanceBy(Math.max(0, time - Date.now()))
  }

  advanceBy(ms: number): void {
    this.shared[0] = this.aheadMs + ms
    for (const { until, wake } of this.#sleepers) if (until <= Date.now()) wake()
  }
}

export const followShared = (shared: Float64Array): (() => void) => putAhead(() => shared[0] ?? 0)
