import { lazy } from '../../functions/runtime/lazy.ts'
import type { Log } from '../../functions/runtime/log.ts'
import type { Settings } from '../../functions/runtime/settings.ts'
import type { Waker } from './slots.ts'

type Limits = Pick<Settings, 'maxConcurrentSyncs' | 'maxConcurrentScrolls'>

/** The client of Step Functions is loaded when the first run is woken. */
export function createWaker(limits: Limits, log: Log): Waker {
  const wake = lazy(async () => (await import('./wake.aws.ts')).createWake(log))
  return wakerOf(limits, {
    now: Date.now,
    wake: async (token) => (await wake())(token),
    name: process.env['AWS_LAMBDA_FUNCTION_NAME'] ?? 'this process',
  })
}

export const wakerOf = (
  { maxConcurrentSyncs, maxConcurrentScrolls }: Limits,
  waker: Omit<Waker, 'counts'>,
): Waker => ({ counts: { syncs: maxConcurrentSyncs, scrolls: maxConcurrentScrolls }, ...waker })
