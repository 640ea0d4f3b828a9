import { chainSnapshotRun } from '../../../stored/changes/chain-facts.ts'
import type { ChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import { runOutcomeOf } from '../../../stored/inventory/run-outcome.ts'
import { type EndedSnapshot, planCleanUp, runsOf } from '../../../stored/inventory/snapshot-reasons.ts'
import type { Run } from '../../../stored/run/run.ts'
import { snapshotsPrefix } from '../../../stored/snapshots/manifest.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import { cleaningUp } from '../../task/cleaning-up.ts'
import type { StepContext } from '../context.ts'

/** Deletes what is no longer needed. */
export async function cleanUpSnapshots(
  {
    state,
    snapshots,
    changes,
    log,
    now,
  }: Pick<StepContext, 'state' | 'snapshots' | 'changes' | 'log' | 'now'>,
  entity: EntitySettings,
  ended: EndedSnapshot,
): Promise<void> {
  const { manifest, published } = ended
  await cleaningUp(log, { entity: entity.name, runId: manifest.runId }, async () => {
    const keys = await Array.fromAsync(snapshots.listKeys(snapshotsPrefix(entity.name)))
    const runs = new Map<string, Run | undefined>()
    for (const runId of runsOf(entity.name, keys)) {
      if (runId < manifest.runId) runs.set(runId, await state.readRun(entity.name, runId))
    }
    const deleted = planCleanUp(ended, keys, {
      keepSnapshots: entity.keepSnapshots,
      // Without change sets nothing is compared, as if the chain had ended at the published snapshot.
      tip: entity.changes === false ? published : await snapshotOfChain(changes, entity.name),
      runOutcomeOf: (runId) => runOutcomeOf(runs.get(runId), now()),
      now: now(),
    })
    await snapshots.deleteKeys(deleted)
  })
}

/** The run whose snapshot the next comparison starts from; undefined before the first change set. */
async function snapshotOfChain(changes: Pick<ChangeSetStore, 'readLatest'>, entity: string) {
  const chain = await changes.readLatest(entity)
  return chain && chainSnapshotRun(chain.value)
}
