import { minuteMs } from '../../functions/runtime/durations.ts'
import { nextRun, type Schedule } from '../../functions/runtime/next-run.ts'

/** When a schedule was last due after `after`, `until` included, in epoch milliseconds; undefined if it was not. */
export function lastRun(schedule: Schedule, after: number, until: number): number | undefined {
  // Backwards in ever larger steps: a short interval is due very often in a year.
  for (let backMs = minuteMs; ; backMs *= 2) {
    const from = Math.max(after, until - backMs)
    let last: number | undefined
    for (let time = nextRun(schedule, from); time !== undefined && time <= until; ) {
      last = time
      time = nextRun(schedule, time)
    }
    if (last !== undefined || from === after) return last
  }
}
