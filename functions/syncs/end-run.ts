import { progressOfRun } from '../../stored/run/attempts.ts'
import { unpublished } from '../../stored/run/increment-run.ts'
import { cancellableStatuses, hasEnded, type Run } from '../../stored/run/run.ts'
import { cancelled, failed } from '../../stored/run/run-changes.ts'
import type { StateStore } from '../../stored/sync-state.ts'

const ends = { cancelled, failed } as const

/** Ends a run from outside its worker and releases its lease and slot. False if it has ended or is publishing. */
export async function endFromOutside(
  { state, now }: { readonly state: StateStore; readonly now: () => number },
  run: Run,
  { status, reason }: { readonly status: keyof typeof ends; readonly reason: string },
): Promise<boolean> {
  if (hasEnded(run)) return false
  const end =
    run.kind === 'increment'
      ? unpublished(run, { status, reason }, now())
      : ends[status](run, { reason, progress: await progressOfRun(state, run), now: now() })
  const ended = await state.endRun(end, cancellableStatuses)
  // The scroll of an increment stays open at the platform, so that it keeps its slot.
  if (ended && run.kind === 'increment') await state.releaseLease(run.entity, run.runId)
  else if (ended) await state.release(run.entity, run.runId)
  return ended
}
