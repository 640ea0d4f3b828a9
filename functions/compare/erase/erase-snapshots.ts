import { type Latest, manifestKey, runPrefix, snapshotsPrefix } from '../../state/snapshots/manifest.ts'
import type { EraseContext } from './context.ts'
import { isErasable, type PublishedRuns } from './plan-erasure.ts'

/** What is published of an entity. */
export interface Published {
  readonly latest: Latest
  readonly runs: PublishedRuns
}

/** What must stay although it is old, and how old it may be otherwise. */
export interface Kept {
  readonly kept: readonly string[]
  readonly cutoff: string
}

/** Undefined before the first publication. */
export async function findPublished(
  { snapshots }: Pick<EraseContext, 'snapshots'>,
  entity: string,
): Promise<Published | undefined> {
  const latest = (await snapshots.readLatest(entity))?.value
  if (!latest) return undefined
  const older: string[] = []
  for await (const run of snapshots.listRuns(entity)) if (run < latest.runId) older.push(run)
  for (const previous of older.toReversed())
    if (await snapshots.readManifest(entity, previous))
      return { latest, runs: { published: latest.runId, previous } }
  return { latest, runs: { published: latest.runId, previous: undefined } }
}

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
  return new Set([manifestKey(entity, run), ...manifest.pages.map(({ key }) => key)])
}

/** Deletes the versions below a prefix that must go. Returns their number. */
export async function eraseVersions(
  { versions, checkTime }: Pick<EraseContext, 'versions' | 'checkTime'>,
  prefix: string,
  mustGo: (version: Parameters<typeof isErasable>[0]) => boolean,
): Promise<number> {
  let erased = 0
  for await (const page of versions.listVersions(prefix)) {
    checkTime()
    const old = page.filter(mustGo)
    await versions.deleteVersions(old)
    erased += old.length
  }
  return erased
}
