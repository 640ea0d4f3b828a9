import { DynamoDBClient, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb'

/** The smallest function that reads the state table: an entity and its runs. */
const client = new DynamoDBClient({})
const table = process.env['STATE_TABLE_NAME']

export async function handler() {
  const [entity, runs] = await Promise.all([
    client.send(
      new GetItemCommand({ TableName: table, Key: { pk: { S: 'entity#BENCH' }, sk: { S: 'entity' } } }),
    ),
    client.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: 'entity#BENCH' } },
      }),
    ),
  ])
  return { statusCode: 200, body: JSON.stringify({ entity: entity.Item, runs: runs.Items }) }
}
