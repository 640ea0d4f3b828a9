import { globSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { clientLimits, endMarginMs, maxCallMs } from '../../../functions/runtime/client-limits.ts'

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
    expect(`${file}: ${options}`).toMatch(/: (\{ \.\.\.)?(clientLimits\.\w+|publisherLimits)/)
})

const { bucket, table } = clientLimits
const maxCall = Math.max(...Object.values(clientLimits).map(maxCallMs))

test.each<[string, availableMs: number, neededMs: number]>([
  [
    'the worker stores a page, commits it and hands off the run and its lease',
    endMarginMs,
    maxCallMs(bucket) + 3 * maxCallMs(table),
  ],
  ['a comparison writes its manifest and moves the tip', endMarginMs, 2 * maxCallMs(bucket)],
  // test/infra/functions.test.ts checks this time limit.
  ['a function of the API makes its longest call', 29_000, maxCall],
])('%s in the time that is left, whatever has to be repeated', (_, availableMs, neededMs) => {
  expect(neededMs).toBeLessThanOrEqual(availableMs)
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
    const limits = {
      ...table,
      maxAttempts: 2,
      requestHandler: { ...table.requestHandler, requestTimeout: 0, socketTimeout: 0, ...timeouts },
    }
    const startedAt = Date.now()
    const client = new DynamoDBClient({
      ...limits,
      endpoint: `http://127.0.0.1:${port}`,
      region: 'eu-west-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    })
    const get = client.send(new GetItemCommand({ TableName: 'state', Key: { pk: { S: 'a' } } }))
    await expect(get).rejects.toThrow(/timeout|timed out|aborted/i)
    expect(requests).toBe(2)
    expect(Date.now() - startedAt).toBeLessThan(
      maxCallMs({ ...limits, requestHandler: { requestTimeout: 100 } }),
    )
  })
})
