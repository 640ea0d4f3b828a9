import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeleteItemCommand, DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startDynamoDb } from '../../local/embedded/dynamodb.aws.ts'
import { clientSettings } from '../../local/embedded/environment.ts'
import type { Served } from '../../local/embedded/listen.ts'
import { levelFileName } from '../../local/level/level.ts'
import { connectTable } from '../../stored/dynamodb/connect.aws.ts'
import { absent, absentOrAtMost, equal, isOneOf, type TableClient } from '../../stored/dynamodb/requests.ts'
import { MemoryDynamoDb } from '../simulation/stores/memory-dynamodb.ts'

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

it('has in a folder what was written before, also by a process that was killed in the middle of a write', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
  const item = (sk: string, n: string) => ({ pk: { S: 'entity#CL' }, sk: { S: sk }, n: { N: n } })
  const opened = async () => {
    const server = await startDynamoDb({ table: 'State', folder })
    const database = new DynamoDBClient({ ...clientSettings, endpoint: server.endpoint })
    const put = (sk: string, n: string) =>
      database.send(new PutItemCommand({ TableName: 'State', Item: item(sk, n) }))
    const remove = (sk: string) =>
      database.send(
        new DeleteItemCommand({ TableName: 'State', Key: { pk: { S: 'entity#CL' }, sk: { S: sk } } }),
      )
    const scan = async () => (await database.send(new ScanCommand({ TableName: 'State' }))).Items
    return { server, put, remove, scan }
  }
  const first = await opened()
  await first.put('a', '1')
  await first.put('a', '2')
  await first.put('b', '3')
  await first.remove('b')
  // The file of the process that is not closed has every write.
  appendFileSync(join(folder, levelFileName), '[["YQ==","')
  const second = await opened()
  expect(await second.scan()).toEqual([item('a', '2')])
  await second.put('c', '4')
  await Promise.all([first, second].map(({ server }) => server.close()))
  const third = await opened()
  expect(await third.scan()).toHaveLength(2)
  await third.server.close()
  rmSync(folder, { recursive: true })
})

it('meets the conditions that the table in memory meets', async () => {
  const tests = [absent, equal(2), equal('a'), isOneOf([1, 2]), absentOrAtMost(2), absentOrAtMost('b')]
  const values = [undefined, 1, 2, 3, 'a', 'b', 'c']
  const key = { pk: 'entity#CL', sk: 'conditions' }
  async function outcomes(table: TableClient): Promise<string[]> {
    const found: string[] = []
    for (const stored of values)
      for (const test of tests) {
        await table.write({ kind: 'put', item: { ...key, map: { stored } }, condition: {} })
        const change = { set: { seen: true } }
        const { kind } = await table.write({ kind: 'update', key, change, condition: { 'map.stored': test } })
        found.push(`${stored} ${JSON.stringify(test)} ${kind}`)
      }
    return found
  }
  expect(await outcomes(connectTable('State', client))).toEqual(await outcomes(new MemoryDynamoDb()))
})
