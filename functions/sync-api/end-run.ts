import { progressOf } from '../state/page.ts'
import { cancellableStatuses, type Run } from '../state/run.ts'
import type { StateStore } from '../state/sync-state.aws.ts'

/** Ends a run from outside its worker and releases its lease and slot. False if it has ended or is publishing. */
export async function endFromOutside(
  { state, now }: { readonly state: StateStore; readonly now: () => number },
  run: Run,
  end: { readonly status: 'cancelled' | 'failed'; readonly reason: string },
): Promise<boolean> {
  const time = new Date(now()).toISOString()
  const progress = progressOf(await state.lastPage(run.runId, run.attempt))
  const ended = await state.endRun(
    { ...run, ...end, updatedAt: time, endedAt: time, ...progress },
    cancellableStatuses,
  )
  if (ended) await state.release(run.entity, run.runId)
  return ended
}
