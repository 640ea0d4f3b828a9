import { mapPooled } from '../../runtime/map-pooled.ts'
import { withoutAccepted } from '../../state/erasure/accepted-meanwhile.ts'
import { findVersions } from '../../state/erasure/find-versions.ts'
import { isErasable, type Kept } from '../../state/erasure/kept-runs.ts'
import {
  manifestKey,
  schemaChangesKey,
  schemaReportKey,
  snapshotsPrefix,
} from '../../state/snapshots/manifest.ts'
import { type EraseContext, readsAtOnce } from './context.ts'

/** Deletes the old versions of an entity's snapshots. Returns their number. */
export async function eraseSnapshots(
  context: EraseContext,
  entity: string,
  { kept, cutoff }: Kept,
): Promise<number> {
  const prefix = snapshotsPrefix(entity)
  const old = kept.filter((run) => run < cutoff)
  const keys = await mapPooled(old, readsAtOnce, (run) => keysOfSnapshot(context, entity, run))
  const keptKeys = new Set(keys.flat())
  const found = await findVersions(context, prefix, (version) => {
    const [run = '', name] = version.key.slice(prefix.length).split('/')
    return name !== undefined && run < cutoff && isErasable(version, keptKeys)
  })
  const [published] = kept
  const gone = await withoutAccepted(context, { entity, published }, found)
  await context.versions.deleteVersions(gone, context.checkTime)
  return found.length
}

async function keysOfSnapshot(
  { snapshots }: Pick<EraseContext, 'snapshots'>,
  entity: string,
  run: string,
): Promise<readonly string[]> {
  const manifest = await snapshots.readManifest(entity, run)
  if (!manifest)
    throw new Error(`The manifest ${manifestKey(entity, run)} of the published snapshot is missing.`)
  return [
    manifestKey(entity, run),
    schemaReportKey(entity, run),
    schemaChangesKey(entity, run),
    ...manifest.pages.map(({ key }) => key),
  ]
}
