import { createChangeSetStore } from '../../functions/state/changes/change-sets.aws.ts'
import { createSnapshotStore } from '../../functions/state/snapshots/snapshots.aws.ts'
import { createTableStore } from '../../functions/state/tables/tables.aws.ts'
import { awsClients } from './clients.aws.ts'

/** What a deployment's bucket has, with the operator's own permissions. */
export function openStores(bucket: string) {
  const client = awsClients.bucket()
  return {
    snapshots: createSnapshotStore(bucket, client),
    changes: createChangeSetStore(bucket, client),
    tables: createTableStore(bucket, client),
  }
}
