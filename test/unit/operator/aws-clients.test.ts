import { NoSuchKey, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { awsClients } from '../../../operator/aws/clients.aws.ts'
import { openStores } from '../../../operator/aws/objects.aws.ts'

beforeAll(() => {
  process.env['AWS_REGION'] = 'us-east-1'
})
afterAll(() => {
  delete process.env['AWS_REGION']
  vi.restoreAllMocks()
})

/** The SDK's types hide that every client has the same handler. */
interface Handler {
  handle(request: object): Promise<unknown>
  httpHandlerConfigs(): {
    connectionTimeout?: number
    requestTimeout?: number
    throwOnRequestTimeout?: boolean
  }
}

it.each(Object.entries(awsClients))(
  'limits the time and the attempts of the %s client',
  async (_, create) => {
    const { config } = create()
    const handler = config.requestHandler as unknown as Handler
    // The handler resolves its options with the first request; this one fails at once.
    const request = {
      protocol: 'http:',
      hostname: '127.0.0.1',
      port: 1,
      method: 'GET',
      path: '/',
      headers: {},
    }
    await expect(handler.handle(request)).rejects.toThrow(/ECONNREFUSED/)
    const { connectionTimeout, requestTimeout, throwOnRequestTimeout } = handler.httpHandlerConfigs()
    expect(connectionTimeout).toBeGreaterThan(0)
    expect(requestTimeout).toBeGreaterThan(0)
    expect(throwOnRequestTimeout).toBe(true)
    expect(await config.maxAttempts()).toBeLessThan(10)
  },
)

it('reads what a deployment has stored with the client of operators, which may be behind a proxy', async () => {
  const sent: string[] = []
  const client = new S3Client({ region: 'us-east-1' })
  client.send = async (command: object) => {
    sent.push(command.constructor.name)
    throw new NoSuchKey({ message: 'none', $metadata: {} })
  }
  vi.spyOn(awsClients, 'bucket').mockReturnValue(client)
  const stores = openStores('bucket')
  for (const store of Object.values(stores)) expect(await store.readLatest('CL')).toBeUndefined()
  expect(sent).toEqual(Object.keys(stores).map(() => 'GetObjectCommand'))
})
