import { ProblemError } from '../../../functions/http/problem.ts'
import { mapPooled } from '../../../functions/runtime/map-pooled.ts'
import { runIdPattern } from '../../../functions/state/run/run.ts'
import type { Manifest } from '../../../functions/state/snapshots/manifest.ts'
import type { SnapshotStore } from '../../../functions/state/snapshots/snapshots.aws.ts'
import type { SnapshotSummary, SnapshotsResponse } from '../../contract.ts'

export interface SnapshotsContext {
  readonly snapshots: Pick<SnapshotStore, 'listRuns' | 'readLatest' | 'readManifest'>
}

const maxConcurrentReads = 8
const maxCachedManifests = 32

export type KeptSnapshots = ReturnType<typeof createKeptSnapshots>

/** The snapshots that retention has not deleted. A manifest never changes, so it is read once. */
export function createKeptSnapshots({ snapshots }: SnapshotsContext) {
  const cache = new Map<string, Manifest>()

  async function find(entity: string, runId: string): Promise<Manifest | undefined> {
    const key = `${entity}/${runId}`
    const known = cache.get(key)
    if (known) return known
    const manifest = await snapshots.readManifest(entity, runId)
    if (manifest) cache.set(key, manifest)
    const [oldest] = cache.keys()
    if (cache.size > maxCachedManifests && oldest !== undefined) cache.delete(oldest)
    return manifest
  }

  /** Newest first. A run without a manifest is not published. */
  async function manifests(entity: string): Promise<Manifest[]> {
    const runs: string[] = []
    for await (const name of snapshots.listRuns(entity)) if (runIdPattern.test(name)) runs.push(name)
    const found = await mapPooled(runs.toSorted().toReversed(), maxConcurrentReads, (run) =>
      find(entity, run),
    )
    return found.filter((manifest) => manifest !== undefined)
  }

  return {
    manifests,

    async list(entity: string): Promise<SnapshotsResponse> {
      const [latest, kept] = await Promise.all([snapshots.readLatest(entity), manifests(entity)])
      return { published: latest?.value.runId ?? null, snapshots: kept.map(snapshotSummary) }
    },

    /** Throws `ProblemError` if the snapshot is gone. */
    async read(entity: string, runId: string): Promise<Manifest> {
      const manifest = runIdPattern.test(runId) ? await find(entity, runId) : undefined
      if (manifest) return manifest
      throw new ProblemError(
        'not-found',
        'This snapshot does not exist. keepSnapshots limits how many are kept.',
      )
    },
  }
}

export function snapshotSummary(manifest: Manifest): SnapshotSummary {
  const { runId, openedAt, finishedAt, documents, uniqueIds, reportedTotal, proof, attempts, pages } =
    manifest
  return {
    runId,
    openedAt,
    finishedAt,
    documents,
    uniqueIds,
    reportedTotal,
    proof,
    attempts,
    pages: pages.length,
    bytes: pages.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}
