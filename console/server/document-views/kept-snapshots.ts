import { ProblemError } from '../../../functions/http/problem.ts'
import { pick } from '../../../functions/runtime/pick.ts'
import { readSnapshots } from '../../../stored/inventory/stored-entity.ts'
import { runIdPattern } from '../../../stored/run/run.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import type { SnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import type { SnapshotSummary, SnapshotsResponse } from '../../contract/snapshots.ts'

const maxCachedManifests = 32

/** The snapshots that retention has not deleted. A manifest never changes, so it is read once. */
export function createKeptSnapshots(
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

  const readAll = (entity: string) => readSnapshots({ ...snapshots, readManifest: find }, entity)

  return {
    find,
    readAll,

    async list(entity: string): Promise<SnapshotsResponse> {
      const [latest, kept] = await Promise.all([snapshots.readLatest(entity), readAll(entity)])
      return { published: latest?.value.runId ?? null, snapshots: kept.map(snapshotSummary) }
    },

    /** Throws `ProblemError` if the snapshot is gone. */
    async read(entity: string, runId: string): Promise<Manifest> {
      const manifest = await find(entity, runId)
      if (manifest) return manifest
      throw new ProblemError(
        'not-found',
        'This snapshot does not exist. keepSnapshots limits how many are kept.',
      )
    },
  }
}

export function snapshotSummary(manifest: Manifest): SnapshotSummary {
  const { pages } = manifest
  return {
    ...pick(manifest, 'runId', 'openedAt', 'finishedAt'),
    ...pick(manifest, 'documents', 'uniqueIds', 'reportedTotal', 'proof', 'attempts'),
    republishedFrom: manifest.republishedFrom ?? null,
    pages: pages.length,
    bytes: pages.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}
