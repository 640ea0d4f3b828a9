import { createChangeSetStore } from '../../functions/state/changes/change-sets.aws.ts'
import { createSnapshotStore } from '../../functions/state/snapshots/snapshots.aws.ts'
import { awsClients } from '../aws/clients.aws.ts'
import { objectReader } from '../aws/objects.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { openState } from '../sync/state.ts'
import type { HistoryContext } from './document-states.ts'
import { createKeptManifests } from './kept-manifests.ts'

export function openHistory(
  { bucket, table }: Pick<Deployment, 'bucket' | 'table'>,
  signal: AbortSignal,
): HistoryContext {
  const client = awsClients.bucket()
  return {
    state: openState(table),
    read: objectReader(bucket, signal, client),
    kept: createKeptManifests(createSnapshotStore(bucket, client)),
    changes: createChangeSetStore(bucket, client),
  }
}
