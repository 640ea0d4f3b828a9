import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  PutItemCommand,
  QueryCommand,
} from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDynamoDb } from '../../local/embedded/dynamodb.aws.ts'
import { clientSettings } from '../../local/embedded/environment.ts'
import type { Served } from '../../local/embedded/listen.ts'

let served: Served
let client: DynamoDBClient
beforeAll(async () => {
  served = await startDynamoDb({ table: 'State' })
  client = new DynamoDBClient({ ...clientSettings, endpoint: served.endpoint })
})
afterAll(async () => {
  client.destroy()
  await served.close()
})

const putOnce = (sk: string) =>
  client.send(
    new PutItemCommand({
      TableName: 'State',
      Item: { pk: { S: 'run#1' }, sk: { S: sk } },
      ConditionExpression: 'attribute_not_exists(pk)',
    }),
  )

it('lets exactly one of many concurrent writers commit an item', async () => {
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => putOnce('page#000001')))
  const reasons = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  )
  expect(reasons).toHaveLength(7)
  for (const reason of reasons) expect(reason).toBeInstanceOf(ConditionalCheckFailedException)
})

it('returns the items of a run in order', async () => {
  await putOnce('page#000003')
  await putOnce('page#000002')
  const { Items } = await client.send(
    new QueryCommand({
      TableName: 'State',
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: 'run#1' } },
      ScanIndexForward: false,
      Limit: 2,
    }),
  )
  expect(Items?.map(({ sk }) => sk?.S)).toEqual(['page#000003', 'page#000002'])
})
