import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import { randomPause } from '../../stored/dynamodb/state-table.ts'
import { createStateStore, type StateStore } from '../../stored/sync-state.ts'
import { awsClients } from '../aws/clients.aws.ts'

/** The state of syncs, with the operator's own permissions. */
export const openState = (table: string, waker?: Parameters<typeof createStateStore>[2]): StateStore =>
  createStateStore(connectTable(table, awsClients.table()), randomPause, waker)
