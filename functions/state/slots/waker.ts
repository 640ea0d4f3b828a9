import { lazy } from '../../runtime/lazy.ts'
import type { Log } from '../../runtime/log.ts'
import type { Settings } from '../../runtime/settings.ts'
import type { Waker } from './slots.ts'

/** The client of Step Functions is loaded when the first run is woken. */
export function createWaker(
  { maxConcurrentSyncs, maxConcurrentScrolls }: Pick<Settings, 'maxConcurrentSyncs' | 'maxConcurrentScrolls'>,
  log: Log,
): Waker {
  const wake = lazy(async () => (await import('./wake.aws.ts')).createWake(log))
  return {
    counts: { syncs: maxConcurrentSyncs, scrolls: maxConcurrentScrolls },
    now: Date.now,
    wake: async (token) => (await wake())(token),
  }
}
