import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { clientSettings } from './environment.ts'
import { listen, type Served } from './listen.ts'

// dynalite is CommonJS without types.
const dynalite = createRequire(import.meta.url)('dynalite') as (options: { createTableMs: number }) => Server

/** DynamoDB in memory with the state table. It supports no transactions and never expires an item. */
export async function startDynamoDb({ table = 'LongshoreState' } = {}): Promise<Served> {
  const served = await listen(dynalite({ createTableMs: 0 }))
  const client = new DynamoDBClient({ ...clientSettings, endpoint: served.endpoint })
  await client.send(
    new CreateTableCommand({
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
    }),
  )
  client.destroy()
  return served
}
