import { eraseVersions } from '../../state/erasure/erase-versions.ts'
import { isErasable, type Kept } from '../../state/erasure/kept-runs.ts'
import {
  manifestKey,
  runPrefix,
  schemaChangesKey,
  schemaReportKey,
  snapshotsPrefix,
} from '../../state/snapshots/manifest.ts'
import type { EraseContext } from './context.ts'

/** Deletes the old versions of an entity's snapshots. Returns their number. */
export async function eraseSnapshots(
  context: EraseContext,
  entity: string,
  { kept, cutoff }: Kept,
): Promise<number> {
  let erased = 0
  for (const run of await context.versions.listFolders(snapshotsPrefix(entity))) {
    if (run >= cutoff) continue
    const keys = kept.includes(run) ? await keysOfSnapshot(context, entity, run) : new Set<string>()
    // The manifest goes first, so that it never remains without its pages.
    for (const prefix of [manifestKey(entity, run), runPrefix(entity, run)])
      erased += await eraseVersions(context, prefix, (version) => isErasable(version, keys))
  }
  return erased
}

async function keysOfSnapshot(
  { snapshots }: Pick<EraseContext, 'snapshots'>,
  entity: string,
  run: string,
): Promise<ReadonlySet<string>> {
  const manifest = await snapshots.readManifest(entity, run)
  if (!manifest)
    throw new Error(`The manifest ${manifestKey(entity, run)} of the published snapshot is missing.`)
  return new Set([
    manifestKey(entity, run),
    schemaReportKey(entity, run),
    schemaChangesKey(entity, run),
    ...manifest.pages.map(({ key }) => key),
  ])
}
