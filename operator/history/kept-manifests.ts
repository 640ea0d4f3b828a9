import { readSnapshots } from '../../stored/inventory/stored-entity.ts'
import { runIdPattern } from '../../stored/run/run.ts'
import type { Manifest } from '../../stored/snapshots/manifest.ts'
import type { SnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'

const maxCachedManifests = 32

export type KeptManifests = ReturnType<typeof createKeptManifests>

/** The manifests of the snapshots that retention has not deleted. A manifest never changes, so it is read once. */
export function createKeptManifests(
  snapshots: Pick<SnapshotStore, 'listRuns' | 'readLatest' | 'readManifest'>,
) {
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

    list: (entity: string) => readSnapshots({ ...snapshots, readManifest: find }, entity),
  }
}
