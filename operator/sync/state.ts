import { connectTable } from '../../functions/state/dynamodb/connect.aws.ts'
import { randomPause } from '../../functions/state/dynamodb/state-table.ts'
import type { Waker } from '../../functions/state/slots/slots.ts'
import { createStateStore, type StateStore } from '../../functions/state/sync-state.ts'
import { awsClients } from '../aws/clients.aws.ts'

/** The state of syncs, with the operator's own permissions. */
export const openState = (table: string, waker?: Waker): StateStore =>
  createStateStore(connectTable(table, awsClients.table()), randomPause, waker)
