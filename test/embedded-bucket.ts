import { afterAll, beforeAll, vi } from 'vitest'
import { startDynamoDb } from '../local/embedded/dynamodb.aws.ts'
import { awsEnvironment } from '../local/embedded/environment.ts'
import { startS3 } from '../local/embedded/s3.ts'

/** An embedded S3 with one bucket for the tests of a file. The AWS clients of this process use it. */
export const useBucket = (bucket: string): void =>
  useServers(async () => {
    const s3 = await startS3({ bucket })
    return { endpoints: { s3: s3.endpoint }, servers: [s3] }
  })

/** The same, and an embedded DynamoDB with one table. */
export const useStores = (bucket: string, table: string): void =>
  useServers(async () => {
    const [s3, dynamoDb] = await Promise.all([startS3({ bucket }), startDynamoDb({ table })])
    return { endpoints: { s3: s3.endpoint, dynamoDb: dynamoDb.endpoint }, servers: [s3, dynamoDb] }
  })

interface Started {
  readonly endpoints: Parameters<typeof awsEnvironment>[0]
  readonly servers: readonly { readonly close: () => Promise<unknown> }[]
}

function useServers(start: () => Promise<Started>): void {
  let started: Started
  beforeAll(async () => {
    started = await start()
    for (const [name, value] of Object.entries(awsEnvironment(started.endpoints))) vi.stubEnv(name, value)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await Promise.all(started.servers.map((server) => server.close()))
  })
}
