import { dayMs } from '../../functions/runtime/durations.ts'
import type { ObjectVersion } from '../object-versions.aws.ts'
import { refusedKey, snapshotsPrefix } from '../snapshots/manifest.ts'
import type { ErasureStores } from './stored-entity.ts'

type SparingStores = Pick<ErasureStores, 'state' | 'now' | 'checkTime'> & {
  readonly versions: Pick<ErasureStores['versions'], 'deleteVersions'>
  readonly snapshots: Pick<ErasureStores['snapshots'], 'readLatest'>
}

/** A publication that has not been continued for as long is abandoned. */
const maxPublicationMs = dayMs

/**
 * Of objects of snapshots that must go, those that still must: a person may accept a refused run while they are erased.
 * An acceptance marks its run before it reads `refused.json`, which is deleted here before the mark is read, so it finds
 * nothing to publish, or its objects stay. `published`: the run that was published when the objects were found.
 */
export async function withoutAccepted(
  { versions, snapshots, state, now, checkTime }: SparingStores,
  { entity, published }: { readonly entity: string; readonly published: string | undefined },
  found: readonly ObjectVersion[],
): Promise<readonly ObjectVersion[]> {
  const runOf = ({ key }: ObjectVersion) => key.slice(snapshotsPrefix(entity).length).split('/')[0] ?? ''
  const refusals = found.filter((version) => version.key === refusedKey(entity, runOf(version)))
  await versions.deleteVersions(refusals, checkTime)
  const runs = await state.readRuns([...new Set(found.map(runOf))].map((runId) => ({ entity, runId })))
  const accepted = runs
    .filter(
      ({ status, updatedAt }) => status === 'publishing' && Date.parse(updatedAt) > now() - maxPublicationMs,
    )
    .map(({ runId }) => runId)
  // Read after the runs, whose publications move it before they end.
  const latest = (await snapshots.readLatest(entity))?.value.runId
  if (latest !== undefined && latest !== published) accepted.push(latest)
  return found.filter((version) => !accepted.includes(runOf(version)))
}
