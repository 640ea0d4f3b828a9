import { CreateTableCommand, DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb'
import dynalite from 'dynalite'
import { absentIf } from '../../functions/runtime/absent-if.ts'
import { clientSettings } from './environment.ts'
import { guarded } from './guard.ts'
import { listen, type Served } from './listen.ts'

export interface DynamoDbOptions {
  readonly table?: string
  /** Where the items are kept; in memory if absent. */
  readonly folder?: string | undefined
}

/** DynamoDB with the state table. It supports no transactions and never expires an item. */
export async function startDynamoDb(options: DynamoDbOptions = {}): Promise<Served> {
  const { table = 'LongshoreState', folder } = options
  const server = dynalite({ createTableMs: 0, ...(folder !== undefined && { path: folder }) })
  const served = await listen(guarded(server, 'json'))
  const client = new DynamoDBClient({ ...clientSettings, endpoint: served.endpoint })
  const create = new CreateTableCommand({
    TableName: table,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
  })
  // The folder may have the table already.
  await client.send(create).catch(absentIf(ResourceInUseException))
  client.destroy()
  return served
}
