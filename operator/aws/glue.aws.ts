import { DeleteTableCommand, EntityNotFoundException } from '@aws-sdk/client-glue'
import { awsClients } from './clients.aws.ts'

/** Drops a table. Succeeds even if there is no such table or database. */
export async function dropGlueTable(database: string, table: string): Promise<void> {
  try {
    await awsClients.glue().send(new DeleteTableCommand({ DatabaseName: database, Name: table }))
  } catch (error) {
    if (!(error instanceof EntityNotFoundException)) throw error
  }
}
