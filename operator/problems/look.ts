import { createLookStore } from '../../functions/problems/look-items.ts'
import { pointersOf } from '../../functions/problems/pointers.ts'
import type { LookContext } from '../../functions/problems/read-facts.ts'
import { settingsOf } from '../../lib/config.ts'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import { createStateStore } from '../../stored/sync-state.ts'
import { awsClients } from '../aws/clients.aws.ts'
import { openStores } from '../aws/objects.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'

/** What a look for problems reads, with the operator's own permissions. */
export function lookContext(
  { configuration, bucket, table, now }: Pick<Deployment, 'configuration' | 'bucket' | 'table' | 'now'>,
  schedules: Pick<LookContext, 'schedulesOf' | 'deployOf'>,
): LookContext {
  const items = connectTable(table, awsClients.table())
  const stores = { state: createStateStore(items), ...openStores(bucket) }
  return {
    settings: settingsOf(configuration),
    ...stores,
    checkPointers: pointersOf(stores),
    looks: createLookStore(items),
    ...schedules,
    now,
  }
}
