import { createLookStore } from '../../functions/problems/look-items.ts'
import type { LookContext } from '../../functions/problems/read-facts.ts'
import { connectTable } from '../../functions/state/dynamodb/connect.aws.ts'
import { createStateStore } from '../../functions/state/sync-state.ts'
import { settingsOf } from '../../lib/config.ts'
import { awsClients } from '../aws/clients.aws.ts'
import { openStores } from '../aws/stores.ts'
import type { Deployment } from '../deployment/deployment.ts'

/** What a look for problems reads, with the operator's own permissions. */
export function lookContext(
  { configuration, bucket, table, now }: Pick<Deployment, 'configuration' | 'bucket' | 'table' | 'now'>,
  schedules: Pick<LookContext, 'schedulesOf' | 'deployOf'>,
): LookContext {
  const items = connectTable(table, awsClients.table())
  return {
    settings: settingsOf(configuration),
    state: createStateStore(items),
    looks: createLookStore(items),
    ...openStores(bucket),
    ...schedules,
    now,
  }
}
