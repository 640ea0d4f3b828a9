import { afterAll, beforeAll, expect, it } from 'vitest'
import { awsClients } from '../../../operator/aws/clients.aws.ts'

beforeAll(() => {
  process.env['AWS_REGION'] = 'us-east-1'
})
afterAll(() => {
  delete process.env['AWS_REGION']
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
