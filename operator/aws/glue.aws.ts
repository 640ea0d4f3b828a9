import { DeleteTableCommand, EntityNotFoundException } from '@aws-sdk/client-glue'
import { awsClients } from './clients.aws.ts'

/** Drops a table. Succeeds even if the table or the database does not exist. */
export async function dropGlueTable(database: string, table: string): Promise<void> {
  try {
    await awsClients.glue().send(new DeleteTableCommand({ DatabaseName: database, Name: table }))
  } catch (error) {
    if (!(error instanceof EntityNotFoundException)) throw error
  }
}
