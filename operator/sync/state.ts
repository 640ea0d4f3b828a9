import { createStateStore, type StateStore } from '../../functions/state/sync-state.ts'
import { connectTable } from '../../functions/state/table/connect.aws.ts'
import { awsClients } from '../aws/clients.aws.ts'

/** The state of syncs, with the operator's own permissions. */
export const openState = (table: string): StateStore =>
  createStateStore(connectTable(table, awsClients.table()))
