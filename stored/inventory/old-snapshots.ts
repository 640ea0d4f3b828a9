import { dayMs } from '../../functions/runtime/durations.ts'
import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { mayHaveExpired } from '../item-expiry.ts'
import type { ObjectVersion } from '../object-versions.aws.ts'
import { timeOfRunId } from '../run/run-id.ts'
import { belongsTo, manifestKey, snapshotsPrefix } from '../snapshots/manifest.ts'
import type { ContentLimits, ErasureStores } from './stored-entity.ts'
import { findVersions, isErasable, readsAtOnce } from './stored-entity.ts'

/** The versions of objects of snapshots whose content must go. */
export async function findOldSnapshots(
  context: ErasureStores,
  entity: string,
  limits: ContentLimits,
): Promise<ObjectVersion[]> {
  const { kept, cutoff } = limits
  const prefix = snapshotsPrefix(entity)
  const old = kept.filter((run) => run < cutoff)
  const snapshots = await mapPooled(old, readsAtOnce, (run) => objectsOfSnapshot(context, entity, run))
  const keptKeys = { has: (key: string) => snapshots.some((belongs) => belongs(key)) }
  const copies = await oldCopies(context, entity, limits)
  return findVersions(context, prefix, (version) => {
    const [run = '', name] = version.key.slice(prefix.length).split('/')
    return name !== undefined && (run < cutoff || copies.has(run)) && isErasable(version, keptKeys)
  })
}

/**
 * Runs since the cutoff that have copied an older snapshot and not published it, because a guard refused it or they failed:
 * what they have is as old as that snapshot. Nobody can accept a run whose item has expired.
 */
async function oldCopies(
  { snapshots, state, now }: ErasureStores,
  entity: string,
  { kept, cutoff, isOld }: ContentLimits,
): Promise<ReadonlySet<string>> {
  const stored = await Array.fromAsync(snapshots.listRuns(entity))
  const runs = stored.filter((run) => run >= cutoff && !kept.includes(run))
  const items = await state.readRuns(runs.map((runId) => ({ entity, runId })))
  const known = new Set(items.map(({ runId }) => runId))
  const expired = runs.filter((run) => !known.has(run) && mayHaveExpired(timeOfRunId(run), now()))
  const unpublished = await mapPooled(expired, readsAtOnce, async (run) =>
    (await snapshots.hasManifest(entity, run)) ? [] : [run],
  )
  const copies = items.filter(
    (run) =>
      run.kind === 'republication' &&
      isOld(run.republishedFrom) &&
      run.status !== 'published' &&
      Date.parse(run.updatedAt) < now() - dayMs,
  )
  return new Set([...unpublished.flat(), ...copies.map(({ runId }) => runId)])
}

/** Whether an object belongs to the snapshot of a run. */
async function objectsOfSnapshot(
  { snapshots }: Pick<ErasureStores, 'snapshots'>,
  entity: string,
  run: string,
): Promise<(key: string) => boolean> {
  const manifest = await snapshots.readManifest(entity, run)
  const ownKey = manifestKey(entity, run)
  if (!manifest) throw new Error(`The manifest ${ownKey} of the published snapshot is missing.`)
  const belongs = belongsTo(manifest)
  return (key) => key === ownKey || belongs(key)
}
