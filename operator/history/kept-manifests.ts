import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import { runIdPattern } from '../../stored/run/run.ts'
import type { Manifest } from '../../stored/snapshots/manifest.ts'
import type { SnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'

const maxConcurrentReads = 8
const maxCachedManifests = 32

export type KeptManifests = ReturnType<typeof createKeptManifests>

/** The manifests of the snapshots that retention has not deleted. A manifest never changes, so it is read once. */
export function createKeptManifests(snapshots: Pick<SnapshotStore, 'listRuns' | 'readManifest'>) {
  const cache = new Map<string, Manifest>()

  /** Undefined if there is no such snapshot. */
  async function find(entity: string, runId: string): Promise<Manifest | undefined> {
    if (!runIdPattern.test(runId)) return undefined
    const key = `${entity}/${runId}`
    const known = cache.get(key)
    if (known) return known
    const manifest = await snapshots.readManifest(entity, runId)
    if (manifest) cache.set(key, manifest)
    const [oldest] = cache.keys()
    if (cache.size > maxCachedManifests && oldest !== undefined) cache.delete(oldest)
    return manifest
  }

  return {
    find,

    /** Newest first. A run without a manifest is not published. */
    async list(entity: string): Promise<Manifest[]> {
      const runs = await Array.fromAsync(snapshots.listRuns(entity))
      const found = await mapPooled(runs.toSorted().toReversed(), maxConcurrentReads, (run) =>
        find(entity, run),
      )
      return found.filter((manifest) => manifest !== undefined)
    },
  }
}
