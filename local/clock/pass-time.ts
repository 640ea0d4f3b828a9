import { setImmediate as turn } from 'node:timers/promises'
import type { Scheduler } from '../schedules/scheduler.ts'
import type { EmbeddedStateMachine } from '../states/state-machine.ts'
import type { LocalClock } from './local-clock.ts'

export interface TimeKeepers {
  readonly clock: LocalClock
  readonly scheduler: Pick<Scheduler, 'due'>
  readonly stateMachine: Pick<EmbeddedStateMachine, 'rest'>
}

/**
 * Moves the clock forward and stops wherever something happens: a wait ends, or a schedule is due for the last time
 * before the new time. What was started rests before time passes on.
 */
export async function passTime({ clock, scheduler, stateMachine }: TimeKeepers, ms: number): Promise<void> {
  await stateMachine.rest()
  const aheadMs = clock.aheadMs + ms
  const target = Date.now() + ms
  const due = scheduler.due(target)
  for (;;) {
    const [next] = due
    const at = Math.min(target, clock.nextWake(), next?.at ?? Number.POSITIVE_INFINITY)
    clock.advanceTo(at)
    if (next && next.at <= at) await due.shift()?.start()
    // What was woken begins in the next turn.
    await turn()
    await stateMachine.rest()
    if (at >= target) break
  }
  // What was started took some time of its own.
  clock.advanceBy(aheadMs - clock.aheadMs)
}
