import { createLookStore } from '../../functions/problems/look-items.ts'
import type { LookContext } from '../../functions/problems/read-facts.ts'
import { createChangeSetStore } from '../../functions/state/changes/change-sets.aws.ts'
import { connectTable } from '../../functions/state/dynamodb/connect.aws.ts'
import { createSnapshotStore } from '../../functions/state/snapshots/snapshots.aws.ts'
import { createStateStore } from '../../functions/state/sync-state.ts'
import { createTableStore } from '../../functions/state/tables/tables.aws.ts'
import { settingsOf } from '../../lib/config.ts'
import { awsClients } from '../aws/clients.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'

/** What a look for problems reads, with the operator's own permissions. */
export function lookContext(
  { configuration, bucket, table, now }: Pick<Deployment, 'configuration' | 'bucket' | 'table' | 'now'>,
  schedulesOf: LookContext['schedulesOf'],
): LookContext {
  const client = awsClients.bucket()
  const items = connectTable(table, awsClients.table())
  return {
    settings: settingsOf(configuration),
    state: createStateStore(items),
    looks: createLookStore(items),
    changes: createChangeSetStore(bucket, client),
    tables: createTableStore(bucket, client),
    snapshots: createSnapshotStore(bucket, client),
    schedulesOf,
    now,
  }
}
