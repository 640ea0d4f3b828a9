import { attemptOfPageKey, type Manifest, manifestKey, snapshotsPrefix } from './manifest.ts'

export interface CleanUp {
  /** In this order, so that no manifest is ever left without its pages. */
  readonly manifests: readonly string[]
  readonly objects: readonly string[]
  /** Objects of runs that published nothing, by run. */
  readonly unpublished: ReadonlyMap<string, readonly string[]>
}

/** The published snapshot and the one before it stay, whatever the setting. */
const leastKept = 2

/**
 * What may go after a publication: snapshots beyond `keepSnapshots`, pages that the new manifest left out, pages of
 * attempts that were given up, and what older runs left that published nothing. `keys` is all below the entity.
 */
export function planCleanUp(published: Manifest, keys: Iterable<string>, keepSnapshots: number): CleanUp {
  const { entity, runId } = published
  const runs = groupByRun(keys, snapshotsPrefix(entity))
  const snapshots = [...runs.keys()].filter((run) => runs.get(run)?.includes(manifestKey(entity, run)))
  const older = snapshots.filter((run) => run < runId).toSorted()
  const expired = new Set(older.slice(0, Math.max(0, older.length + 1 - Math.max(leastKept, keepSnapshots))))
  const own = new Set(published.pages.map((page) => page.key).concat(manifestKey(entity, runId)))

  const manifests: string[] = []
  const objects: string[] = []
  const unpublished = new Map<string, readonly string[]>()
  for (const [run, runKeys] of runs) {
    const manifest = manifestKey(entity, run)
    if (run === runId) objects.push(...runKeys.filter((key) => !own.has(key)))
    else if (expired.has(run)) {
      manifests.push(manifest)
      objects.push(...runKeys.filter((key) => key !== manifest))
    } else if (snapshots.includes(run)) objects.push(...ofAbandonedAttempts(runKeys))
    else if (run < runId) unpublished.set(run, runKeys)
  }
  return { manifests, objects, unpublished }
}

/** Only a run's last attempt is published. What is left of earlier ones is from a clean-up that did not finish. */
function ofAbandonedAttempts(keys: readonly string[]): string[] {
  const last = Math.max(...keys.map((key) => attemptOfPageKey(key) ?? 0))
  return keys.filter((key) => (attemptOfPageKey(key) ?? last) < last)
}

function groupByRun(keys: Iterable<string>, prefix: string): Map<string, string[]> {
  const runs = new Map<string, string[]>()
  for (const key of keys) {
    const [run, name] = key.slice(prefix.length).split('/')
    if (!run || !name) continue
    const known = runs.get(run)
    if (known) known.push(key)
    else runs.set(run, [key])
  }
  return runs
}
