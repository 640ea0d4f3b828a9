import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import { openTable } from '../../../functions/state/table.aws.ts'
import { MemoryDynamoDb } from '../../simulation/memory-dynamodb.ts'

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
})
