import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, vi } from 'vitest'
import { createResponseStore } from '../../../functions/proxy/idempotency/response-store.ts'
import { withIdempotency } from '../../../functions/proxy/idempotency/with-idempotency.ts'
import type { ProxyEvent } from '../../../functions/proxy/proxy.ts'
import { startDynamoDb } from '../../../local/embedded/dynamodb.aws.ts'
import { clientSettings } from '../../../local/embedded/environment.ts'
import type { Served } from '../../../local/embedded/listen.ts'
import { connectTable } from '../../../stored/dynamodb/connect.aws.ts'
import { patch, scriptedUpstream, testProxy } from '../proxy-setup.ts'

interface ProxyChange {
  readonly timeoutSeconds?: number
  readonly host?: string
  readonly redact?: (text: string) => string
}

const anna = { iam: { userArn: 'arn:aws:iam::1:user/anna' } }
const json = { 'content-type': 'application/json' }
export const keyed = (
  key: string,
  more: Partial<ProxyEvent> = {},
  authorizer: unknown = anna,
): ProxyEvent => ({
  ...patch({ rawPath: '/api/rns/subscriptions/s1', ...more }),
  headers: { ...json, 'idempotency-key': key },
  requestContext: { requestId: 'r', authorizer },
})

/** A proxy that stores responses in an empty table of the embedded DynamoDB, for each test of a file. */
export function useKeyedProxy() {
  const upstream = scriptedUpstream()
  let dynamoDb: Served
  const start = async () => {
    dynamoDb = await startDynamoDb({ table: 'state' })
  }
  beforeEach(start)
  afterEach(async () => {
    vi.useRealTimers()
    await dynamoDb.close()
  })

  const dynamodb = () =>
    new DynamoDBClient({ ...clientSettings, endpoint: dynamoDb.endpoint, maxAttempts: 1 })
  const responseStore = () => createResponseStore(connectTable('state', dynamodb()))

  function proxy({ timeoutSeconds = 5, host = upstream.host(), redact }: ProxyChange = {}) {
    const store = responseStore()
    return testProxy({
      baseUrl: `http://${host}`,
      timeoutSeconds,
      ...(redact && { redact }),
      withIdempotency: (key, perform) => withIdempotency(store, key, perform),
    })
  }

  const whileUnavailable = async (work: () => Promise<void>) => {
    await dynamoDb.close()
    await work()
    await start()
  }

  return { upstream, proxy, dynamodb, responseStore, whileUnavailable }
}
