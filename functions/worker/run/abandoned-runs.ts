import type { EntitySettings } from '../../runtime/settings.ts'
import { progressOf } from '../../state/page.ts'
import { asBegun, isActive, newRun, type Run } from '../../state/run.ts'
import type { StepContext } from '../context.ts'
import { publish } from '../publish/publish.ts'
import { sayEnd } from './end.ts'

/** Settles runs of the entity that were left behind. Called by whoever has the entity's lease. */
export async function settleAbandonedRuns(
  world: StepContext,
  entity: EntitySettings,
  { worker, abandonedRuns }: { worker: string; abandonedRuns: readonly string[] },
): Promise<void> {
  for (const runId of abandonedRuns) await settleAbandonedRun(world, entity, runId)
  if (abandonedRuns.length > 0) await world.state.clearAbandonedRuns(entity.name, worker)
}

/**
 * Ends a run whose workers are gone. One that is `publishing` is published: its worker may have moved `latest.json`
 * already, or be about to, and no other verdict would be true then. Any other has failed.
 */
async function settleAbandonedRun(world: StepContext, entity: EntitySettings, runId: string): Promise<void> {
  for (;;) {
    const run = await world.state.readRun(entity.name, runId)
    const endedAt = new Date(world.now()).toISOString()
    if (!run) {
      // Its worker had the lease and stood still before it wrote the run: it must not begin it now.
      const begun = newRun({ runId, entity, acceptShrink: false, now: world.now() })
      const ended = { ...begun, ...neverBegun, endedAt }
      if (await world.state.createRun(ended)) return sayEnd(world, ended)
      continue
    }
    const { status } = run
    if (!isActive(status)) return
    const end =
      status === 'publishing'
        ? await publish(world, run, { entity: asBegun(entity, run) })
        : await failed(world, run)
    const settled = { ...run, ...end, abandoned: true, updatedAt: endedAt, endedAt }
    // Its worker may not be gone after all, and may have brought it further in the meantime.
    if (await world.state.endRun(settled, [status])) return sayEnd(world, settled)
  }
}

const neverBegun = {
  status: 'failed',
  reason: 'Its worker stopped before it began. Start the sync again.',
  abandoned: true,
} as const

async function failed({ state }: StepContext, run: Run): Promise<Partial<Run>> {
  return {
    ...progressOf(await state.lastPage(run.runId, run.attempt)),
    status: 'failed',
    reason: 'Its worker stopped and nothing called it again for five minutes. Start the sync again.',
  }
}
