import type { EntitySettings } from '../../functions/runtime/settings.ts'
import type { RefusedRun, Run, RunResult } from '../run/run.ts'
import { type Manifest, resultOfManifest, runPrefix } from './manifest.ts'
import type { SnapshotStore } from './snapshots.aws.ts'

export type Acceptability =
  | { readonly kind: 'acceptable'; readonly run: RefusedRun; readonly result: RunResult }
  | Unacceptable

/** It cannot be accepted: why, and what to do. */
export interface Unacceptable {
  readonly kind: 'unacceptable'
  readonly reason: string
}

/** Whether the snapshot of a refused run can still be published, exactly as it was reviewed. */
export async function readAcceptability(
  snapshots: Pick<SnapshotStore, 'readLatest' | 'readRefused' | 'listKeys'>,
  entity: Pick<EntitySettings, 'name' | 'allowEmpty'>,
  run: Run,
): Promise<Acceptability> {
  const { runId } = run
  if (!isRefused(run))
    return unacceptable(`Nothing was refused in run ${runId}: its status is ${run.status}.`)
  const published = (await snapshots.readLatest(entity.name))?.value.runId
  if (published !== undefined && published > runId)
    return unacceptable(
      `The newer run ${published} has published. Only a run that is newer than that can be accepted.`,
    )
  const manifest = await snapshots.readRefused(entity.name, runId)
  if (!manifest || !(await hasAllPages(snapshots, manifest)))
    return unacceptable(
      `The refused snapshot of run ${runId} is gone: only those of the newest seven refused runs are kept, and a later refusal deletes those that are older than 30 days. Start a new sync.`,
    )
  if (manifest.uniqueIds === 0 && !entity.allowEmpty)
    return unacceptable(
      `The snapshot of run ${runId} has no documents. Set allowEmpty for ${entity.name} in the configuration, deploy, and accept it again.`,
    )
  return { kind: 'acceptable', run, result: resultOfManifest(manifest) }
}

const isRefused = (run: Run): run is RefusedRun => run.status === 'refused'

/** Whether every page of a manifest is stored. */
export async function hasAllPages(
  snapshots: Pick<SnapshotStore, 'listKeys'>,
  { entity, runId, pages }: Manifest,
): Promise<boolean> {
  const stored = new Set(await Array.fromAsync(snapshots.listKeys(runPrefix(entity, runId))))
  return pages.every(({ key }) => stored.has(key))
}

export const unacceptable = (reason: string): Unacceptable => ({ kind: 'unacceptable', reason })
