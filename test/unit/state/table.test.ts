import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import { openTable } from '../../../functions/state/table.aws.ts'
import { MemoryDynamoDb } from '../../simulation/stores/memory-dynamodb.ts'

async function allOf(items: AsyncIterable<object>): Promise<object[]> {
  const all: object[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('a read of the state table', () => {
  it('returns the newest write, unless a query allows an older one', async () => {
    const dynamodb = new MemoryDynamoDb()
    dynamodb.isReadStale = () => true
    const table = openTable('state', dynamodb as unknown as DynamoDBClient)
    const key = { pk: 'a', sk: 'b' }
    await table.put({ ...key, value: 1 })
    await table.put({ ...key, value: 2 })
    expect(await table.get(key)).toEqual({ value: 2 })
    expect(await allOf(table.query('a'))).toEqual([{ value: 2 }])
    expect(await allOf(table.query('a', { consistent: false }))).toEqual([{ value: 1 }])
  })

  it('fails with the fix if another release wrote the item', async () => {
    const dynamodb = new MemoryDynamoDb()
    const item = { pk: { S: 'a' }, sk: { S: 'b' }, version: { N: '2' } }
    await dynamodb.send(new PutItemCommand({ TableName: 'state', Item: item }))
    const table = openTable('state', dynamodb as unknown as DynamoDBClient)
    const message =
      'Cannot read the item a / b in the state table: its version is 2 and this release of Longshore reads version 1. ' +
      'Deploy the release that wrote it, or a newer one.'
    await expect(table.get({ pk: 'a', sk: 'b' })).rejects.toMatchObject({
      name: 'UnknownItemVersion',
      message,
    })
  })
})
