import { connectTable } from '../../functions/state/dynamodb/connect.aws.ts'
import { randomPause } from '../../functions/state/dynamodb/state-table.ts'
import { createStateStore, type StateStore } from '../../functions/state/sync-state.ts'
import { awsClients } from '../aws/clients.aws.ts'

/** The state of syncs, with the operator's own permissions. */
export const openState = (table: string, waker?: Parameters<typeof createStateStore>[2]): StateStore =>
  createStateStore(connectTable(table, awsClients.table()), randomPause, waker)
