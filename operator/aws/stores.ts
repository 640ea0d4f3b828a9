import { createChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import { createSnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import { createTableStore } from '../../stored/tables/tables.aws.ts'
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
