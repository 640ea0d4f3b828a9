import { ProblemError } from '../../../functions/http/problem.ts'
import { pick } from '../../../functions/runtime/pick.ts'
import { createKeptManifests } from '../../../operator/history/kept-manifests.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import type { SnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import type { SnapshotSummary, SnapshotsResponse } from '../../contract/snapshots.ts'

/** The snapshots that retention has not deleted. */
export function createKeptSnapshots(
  snapshots: Pick<SnapshotStore, 'listRuns' | 'readLatest' | 'readManifest'>,
) {
  const manifests = createKeptManifests(snapshots)
  return {
    manifests,

    async list(entity: string): Promise<SnapshotsResponse> {
      const [latest, kept] = await Promise.all([snapshots.readLatest(entity), manifests.list(entity)])
      return { published: latest?.value.runId ?? null, snapshots: kept.map(snapshotSummary) }
    },

    /** Throws `ProblemError` if the snapshot is gone. */
    async read(entity: string, runId: string): Promise<Manifest> {
      const manifest = await manifests.find(entity, runId)
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
