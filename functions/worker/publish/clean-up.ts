import { describeError } from '../../runtime/log.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import type { Run } from '../../state/run/run.ts'
import { type Manifest, snapshotsPrefix } from '../../state/snapshots/manifest.ts'
import type { StepContext } from '../context.ts'
import { planCleanUp, runOutcomeOf, runsOf } from './retention.ts'

/** Deletes what is no longer needed. If that fails, the snapshot is still published, and the next run repeats the clean-up. */
export async function cleanUp(
  { state, snapshots, log, now }: Pick<StepContext, 'state' | 'snapshots' | 'log' | 'now'>,
  entity: EntitySettings,
  published: Manifest,
): Promise<void> {
  try {
    const keys: string[] = []
    for await (const key of snapshots.listKeys(snapshotsPrefix(entity.name))) keys.push(key)
    const runs = new Map<string, Run | undefined>()
    for (const runId of runsOf(entity.name, keys)) {
      if (runId < published.runId) runs.set(runId, await state.readRun(entity.name, runId))
    }
    const plan = planCleanUp(published, keys, {
      keepSnapshots: entity.keepSnapshots,
      // Without change sets nothing is compared, as if the chain had ended at the published snapshot.
      tip: entity.changes === false ? published.runId : await snapshots.readTip(entity.name),
      runOutcomeOf: (runId) => runOutcomeOf(runs.get(runId), now()),
    })
    await snapshots.deleteKeys(plan.manifests)
    await snapshots.deleteKeys(plan.objects)
  } catch (error) {
    log('ERROR', 'clean-up failed', {
      entity: entity.name,
      runId: published.runId,
      error: describeError(error),
    })
  }
}
