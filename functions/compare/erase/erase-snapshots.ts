import { withoutAccepted } from '../../../stored/erasure/accepted-meanwhile.ts'
import { findVersions } from '../../../stored/erasure/find-versions.ts'
import { isErasable, type Kept } from '../../../stored/erasure/kept-runs.ts'
import { mayHaveExpired } from '../../../stored/item-expiry.ts'
import { timeOfRunId } from '../../../stored/run/run-id.ts'
import { belongsTo, manifestKey, snapshotsPrefix } from '../../../stored/snapshots/manifest.ts'
import { dayMs } from '../../runtime/durations.ts'
import { mapPooled } from '../../runtime/map-pooled.ts'
import { type EraseTaskContext, readsAtOnce } from './context.ts'

/** Deletes the old versions of an entity's snapshots. Returns their number. */
export async function eraseSnapshots(
  context: EraseTaskContext,
  entity: string,
  { kept, cutoff }: Pick<Kept, 'kept' | 'cutoff'>,
): Promise<number> {
  const prefix = snapshotsPrefix(entity)
  const old = kept.filter((run) => run < cutoff)
  const snapshots = await mapPooled(old, readsAtOnce, (run) => objectsOfSnapshot(context, entity, run))
  const keptKeys = { has: (key: string) => snapshots.some((belongs) => belongs(key)) }
  const copies = await oldCopies(context, entity, { kept, cutoff })
  const found = await findVersions(context, prefix, (version) => {
    const [run = '', name] = version.key.slice(prefix.length).split('/')
    return name !== undefined && (run < cutoff || copies.has(run)) && isErasable(version, keptKeys)
  })
  const [published] = kept
  const gone = await withoutAccepted(context, { entity, published }, found)
  await context.versions.deleteVersions(gone, context.checkTime)
  return found.length
}

/**
 * Runs since the cutoff that have copied an older snapshot and not published it, because a guard refused it or they failed:
 * what they have is as old as that snapshot. Nobody can accept a run whose item has expired.
 */
async function oldCopies(
  { snapshots, state, now }: EraseTaskContext,
  entity: string,
  { kept, cutoff }: Pick<Kept, 'kept' | 'cutoff'>,
): Promise<ReadonlySet<string>> {
  const stored = await Array.fromAsync(snapshots.listRuns(entity))
  const runs = stored.filter((run) => run >= cutoff && !kept.includes(run))
  const items = await state.readRuns(runs.map((runId) => ({ entity, runId })))
  const known = new Set(items.map(({ runId }) => runId))
  const expired = runs.filter((run) => !known.has(run) && mayHaveExpired(timeOfRunId(run), now()))
  const unpublished = await mapPooled(expired, readsAtOnce, async (run) =>
    (await snapshots.hasManifest(entity, run)) ? [] : [run],
  )
  const isOld = (run: string) => run < cutoff && !kept.includes(run)
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
  { snapshots }: Pick<EraseTaskContext, 'snapshots'>,
  entity: string,
  run: string,
): Promise<(key: string) => boolean> {
  const manifest = await snapshots.readManifest(entity, run)
  const ownKey = manifestKey(entity, run)
  if (!manifest) throw new Error(`The manifest ${ownKey} of the published snapshot is missing.`)
  const belongs = belongsTo(manifest)
  return (key) => key === ownKey || belongs(key)
}
