import { objectReader } from '../aws/objects.aws.ts'
import { openStores } from '../aws/stores.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { openState } from '../sync/state.ts'
import type { HistoryContext } from './document-states.ts'
import { createKeptManifests } from './kept-manifests.ts'

export function openHistory(
  { bucket, table }: Pick<Deployment, 'bucket' | 'table'>,
  signal: AbortSignal,
): HistoryContext {
  const { snapshots, changes } = openStores(bucket)
  return {
    state: openState(table),
    read: objectReader(bucket, signal),
    kept: createKeptManifests(snapshots),
    changes,
  }
}
