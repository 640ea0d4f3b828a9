import { mayHaveExpired } from '../../../stored/item-expiry.ts'
import { noProgress } from '../../../stored/pages/page.ts'
import { progressOfRun } from '../../../stored/run/attempts.ts'
import { type ActiveRun, type EndedRun, hasEnded, newRun } from '../../../stored/run/run.ts'
import { abandoned, failed } from '../../../stored/run/run-changes.ts'
import { timeOfRunId } from '../../../stored/run/run-id.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import { type PublishContext, publish } from '../publish/publish.ts'
import { reportEnd } from './end.ts'

interface Settling {
  readonly entity: EntitySettings
  readonly abandonedRuns: readonly string[]
  /** The worker that has the entity's lease. */
  readonly worker: string
}

/** Ends the entity's runs whose workers are gone. */
export async function settleAbandonedRuns(
  context: PublishContext,
  { entity, abandonedRuns, worker }: Settling,
): Promise<void> {
  let areSettled = abandonedRuns.length > 0
  for (const runId of abandonedRuns) {
    const settled = await settleAbandonedRun(context, { entity, runId })
    if (settled === 'not-yet') areSettled = false
    else if (settled) await reportEnd(context, settled)
  }
  if (areSettled) await context.state.clearAbandonedRuns(entity.name, worker)
}

type AbandonedRun = Pick<Settling, 'entity'> & { readonly runId: string }

/** Returns the run if this call ended it. A publication that cannot be decided now is left to the entity's next run. */
async function settleAbandonedRun(
  context: PublishContext,
  { entity, runId }: AbandonedRun,
): Promise<EndedRun | 'not-yet' | undefined> {
  const { state, now } = context
  for (;;) {
    const run = await state.readRun(entity.name, runId)
    if (!run) {
      // It ended so long ago that its item has expired.
      if (mayHaveExpired(timeOfRunId(runId), now())) return undefined
      // Its worker claimed the entity and stopped before it created the run. It must not create it now.
      const begun = newRun({ runId, entity, execution: undefined, now: now() })
      const reason = 'The worker stopped before the run began. Start the sync again.'
      const ended = abandoned(failed(begun, { reason, progress: noProgress, now: now() }))
      if (await state.createRun(ended)) return ended
      continue
    }
    if (hasEnded(run)) return undefined
    const end = await endOf(context, { entity, run })
    if (end === 'not-yet') return end
    const ended = abandoned(end)
    // Its worker may have continued it since it was read, and may publish now what it has checked.
    if (await state.endRun(ended, [run.status], { unwritten: true })) return ended
  }
}

/** A run that is `publishing` is published: its worker may have moved `latest.json` already. Any other has failed. */
async function endOf(
  context: PublishContext,
  { entity, run }: Pick<AbandonedRun, 'entity'> & { readonly run: ActiveRun },
): Promise<EndedRun | 'not-yet'> {
  if (run.status === 'publishing') {
    const result = await publish(context, run, { entity, renew: async () => undefined })
    return result.kind === 'ended' ? result.run : 'not-yet'
  }
  const progress = await progressOfRun(context.state, run)
  const reason =
    'The worker stopped, and no other worker continued the run for five minutes. Start the sync again.'
  return failed(run, { reason, progress, now: context.now() })
}
