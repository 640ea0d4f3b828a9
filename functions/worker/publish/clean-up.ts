import { chainSnapshotRun } from '../../../stored/changes/chain-facts.ts'
import type { ChangeSetStore } from '../../../stored/changes/change-sets.aws.ts'
import { withoutReason } from '../../../stored/inventory/reason.ts'
import { runOutcomeOf } from '../../../stored/inventory/run-outcome.ts'
import { runsOf, type SnapshotFacts, snapshotReasons } from '../../../stored/inventory/snapshot-reasons.ts'
import type { Run } from '../../../stored/run/run.ts'
import { type Manifest, snapshotsPrefix } from '../../../stored/snapshots/manifest.ts'
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

/** What a run leaves at its end, when older objects are cleaned up. */
export interface EndedSnapshot {
  readonly outcome: 'published' | 'refused'
  /** The one that it would have had if it was refused. */
  readonly manifest: Manifest
  /** The run whose snapshot is published; undefined if there is none. */
  readonly published: string | undefined
}

export type RetentionRules = Pick<SnapshotFacts, 'keepSnapshots' | 'tip' | 'runOutcomeOf' | 'now'>

/**
 * What to delete when a run was published or refused: the objects that nothing needs. `keys` are all keys of the entity.
 * Newer runs may be in progress.
 */
export function planCleanUp(
  { outcome, manifest, published }: EndedSnapshot,
  keys: readonly string[],
  { runOutcomeOf, ...rules }: RetentionRules,
): string[] {
  const { entity, runId } = manifest
  const outcomeOf = (run: string) => (run === runId ? outcome : run > runId ? 'unknown' : runOutcomeOf(run))
  const manifestOf = (run: string) => (run === runId ? manifest : undefined)
  const facts = { ...rules, entity, keys, published, runOutcomeOf: outcomeOf, manifestOf }
  return withoutReason(snapshotReasons(facts))
}
