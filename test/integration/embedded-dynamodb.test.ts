import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeleteItemCommand, DynamoDBClient, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { expect, it } from 'vitest'
import { startDynamoDb } from '../../local/embedded/dynamodb.aws.ts'
import { clientSettings } from '../../local/embedded/environment.ts'
import { levelFileName } from '../../local/level/level.ts'

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
