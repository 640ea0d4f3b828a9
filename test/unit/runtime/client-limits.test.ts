import { globSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { clientLimits } from '../../../functions/runtime/client-limits.ts'

const folder = new URL('../../../functions/', import.meta.url)
const clients = globSync('**/*.aws.ts', { cwd: folder }).flatMap((file) =>
  [...readFileSync(new URL(file, folder), 'utf8').matchAll(/new \w+Client\((.*?)\)/g)].map(([, options]) => ({
    file,
    options,
  })),
)

test('every AWS client of the functions has time limits and bounded retries', () => {
  expect(clients.length).toBeGreaterThan(5)
  for (const { file, options } of clients)
    expect(`${file}: ${options}`).toMatch(/: (\{ \.\.\.)?clientLimits\.\w+/)
  for (const { maxAttempts } of Object.values(clientLimits)) expect(maxAttempts).toBeLessThanOrEqual(4)
})

describe('a request of an AWS client', () => {
  let requests = 0
  let respond = (_response: ServerResponse): void => {}
  const server = createServer((_request, response) => {
    requests += 1
    respond(response)
  })
  beforeEach(async () => {
    requests = 0
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterEach(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  test.each<
    [string, { requestTimeout?: number; socketTimeout?: number }, (response: ServerResponse) => void]
  >([
    ['without a response', { requestTimeout: 100 }, () => {}],
    [
      'whose response stops within the body',
      { socketTimeout: 100 },
      (response) => void response.writeHead(200, { 'content-length': '9' }).write('{'),
    ],
  ])('%s fails after the configured attempts', async (_, ...[timeouts, behaviour]) => {
    respond = behaviour
    const { port } = server.address() as AddressInfo
    const client = new DynamoDBClient({
      ...clientLimits.table,
      maxAttempts: 2,
      requestHandler: {
        ...clientLimits.table.requestHandler,
        requestTimeout: 0,
        socketTimeout: 0,
        ...timeouts,
      },
      endpoint: `http://127.0.0.1:${port}`,
      region: 'eu-west-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    })
    const get = client.send(new GetItemCommand({ TableName: 'state', Key: { pk: { S: 'a' } } }))
    await expect(get).rejects.toThrow(/timeout|timed out|aborted/i)
    expect(requests).toBe(2)
  })
})
