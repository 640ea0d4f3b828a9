import { nextRun, type Schedule } from '../../functions/runtime/next-run.ts'
import { lastRun } from './last-run.ts'

export interface Scheduled extends Schedule {
  /** Resolved when what it started needs no more of this moment: it has ended or waits. */
  readonly start: () => Promise<unknown>
}

export interface SchedulerOptions {
  readonly schedules: readonly Scheduled[]
  /** Up to when the schedules have run, in epoch milliseconds: what was due since then is started once. */
  readonly ranUntil: number
  readonly onRun: (ranUntil: number) => void
}

/** A timer cannot wait for longer than 24 days, nor does it notice that the machine slept. */
const maxTimerMs = 60_000

/** Starts what is due, in place of EventBridge Scheduler. What was due several times meanwhile is started once. */
export class Scheduler {
  readonly #options: SchedulerOptions
  #ranUntil: number
  #timer: NodeJS.Timeout | undefined

  constructor(options: SchedulerOptions) {
    this.#options = options
    this.#ranUntil = options.ranUntil
  }

  /** Runs until `stop`, without keeping the process alive. */
  run(): void {
    for (const { start } of this.due(Date.now())) void start()
    const next = this.#options.schedules.map((schedule) => nextRun(schedule, this.#ranUntil) ?? Infinity)
    const waitMs = Math.min(maxTimerMs, ...next.map((time) => time - this.#ranUntil))
    this.#timer = setTimeout(() => this.run(), waitMs).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  save(): void {
    this.#options.onRun(this.#ranUntil)
  }

  /** What was due since the last call, in the order of time. */
  due(until: number): (Scheduled & { readonly at: number })[] {
    const due = this.#options.schedules.flatMap((schedule) => {
      const at = lastRun(schedule, this.#ranUntil, until)
      return at === undefined ? [] : [{ ...schedule, at }]
    })
    this.#ranUntil = Math.max(this.#ranUntil, until)
    this.save()
    return due.toSorted((one, other) => one.at - other.at)
  }
}
