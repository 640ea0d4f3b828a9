import type { EntitySettings } from '../environment.ts'
import { sayEnd } from './end-run.ts'
import { progressOf } from './page.ts'
import { publish } from './publication.ts'
import { asBegun, isActive, newRun, type Run } from './run.ts'
import type { StepWorld } from './step-world.ts'

/** Settles runs of the entity that were left behind. Called by whoever has the entity's lease. */
export async function settlePredecessors(
  world: StepWorld,
  entity: EntitySettings,
  { worker, unsettled }: { worker: string; unsettled: readonly string[] },
): Promise<void> {
  for (const runId of unsettled) await settlePredecessor(world, entity, runId)
  if (unsettled.length > 0) await world.state.forgetUnsettled(entity.name, worker)
}

/**
 * Ends a run whose workers are gone. One that is `publishing` is published: its worker may have moved `latest.json`
 * already, or be about to, and no other verdict would be true then. Any other has failed.
 */
async function settlePredecessor(world: StepWorld, entity: EntitySettings, runId: string): Promise<void> {
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

async function failed({ state }: StepWorld, run: Run): Promise<Partial<Run>> {
  return {
    ...progressOf(await state.lastPage(run.runId, run.attempt)),
    status: 'failed',
    reason: 'Its worker stopped and nothing called it again for five minutes. Start the sync again.',
  }
}
