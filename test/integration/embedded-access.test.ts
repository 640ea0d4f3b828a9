import { request } from 'node:http'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { DescribeExecutionCommand, SFNClient } from '@aws-sdk/client-sfn'
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { resolveConfig } from '../../lib/config.ts'
import { serveAwsJson } from '../../local/embedded/aws-json-server.ts'
import { startDynamoDb } from '../../local/embedded/dynamodb.aws.ts'
import { clientSettings } from '../../local/embedded/environment.ts'
import { serveLambda } from '../../local/embedded/lambda.ts'
import { startS3 } from '../../local/embedded/s3.ts'
import { serveTopic, topicArn } from '../../local/embedded/topic.ts'
import { startExampleShop } from '../../local/shop/example-shop.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { localCredentials, startPlatform } from '../../local/stand-in/platform.ts'

const Bucket = 'snapshots'
const operations = [
  'secretsmanager.GetSecretValue',
  'AWSEvents.PutEvents',
  'AWSStepFunctions.DescribeExecution',
]
const [dynamoDb, s3, lambda, topic, json] = await Promise.all([
  startDynamoDb({ table: 'state' }),
  startS3({ bucket: Bucket }),
  serveLambda({ publisher: async () => 'the-secret' }),
  serveTopic(() => undefined),
  serveAwsJson(Object.fromEntries(operations.map((name) => [name, () => ({ SecretString: 'the-secret' })]))),
])
const platform = await startPlatform({ documents: { CL: makeDocuments(1) } })
afterAll(() => platform.close())
afterAll(() => Promise.all([dynamoDb, s3, lambda, topic, json].map((served) => served.close())))

type Settings = typeof clientSettings & { readonly endpoint: string }

/** Every service, with a request that it would accept. */
const services = [
  {
    service: 'DynamoDB',
    endpoint: dynamoDb.endpoint,
    target: 'DynamoDB_20120810.ListTables',
    call: (settings: Settings) => new DynamoDBClient(settings).send(new ListTablesCommand({})),
  },
  {
    service: 'S3',
    endpoint: s3.endpoint,
    target: '',
    call: (settings: Settings) => new S3Client(settings).send(new ListObjectsV2Command({ Bucket })),
  },
  {
    service: 'Secrets Manager',
    endpoint: json.endpoint,
    target: 'secretsmanager.GetSecretValue',
    call: (settings: Settings) =>
      new SecretsManagerClient(settings).send(new GetSecretValueCommand({ SecretId: 'x' })),
  },
  {
    service: 'EventBridge',
    endpoint: json.endpoint,
    target: 'AWSEvents.PutEvents',
    call: (settings: Settings) => new EventBridgeClient(settings).send(new PutEventsCommand({ Entries: [] })),
  },
  {
    service: 'Step Functions',
    endpoint: json.endpoint,
    target: 'AWSStepFunctions.DescribeExecution',
    call: (settings: Settings) =>
      new SFNClient(settings).send(new DescribeExecutionCommand({ executionArn: 'x' })),
  },
  {
    service: 'Lambda',
    endpoint: lambda.endpoint,
    target: '',
    call: (settings: Settings) =>
      new LambdaClient(settings).send(new InvokeCommand({ FunctionName: 'publisher' })),
  },
  {
    service: 'SNS',
    endpoint: topic.endpoint,
    target: '',
    call: (settings: Settings) =>
      new SNSClient(settings).send(new PublishCommand({ TopicArn: topicArn, Message: 'the-secret' })),
  },
]

interface Raw {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A request as another program or a browser sends it: unsigned, unless its URL is. */
function send(url: string, { method = 'POST', headers = {} }: Raw) {
  return new Promise<{ status: number | undefined; headers: object; body: string }>((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }))
    })
    sent.on('error', reject)
    sent.end(method === 'POST' ? '{}' : undefined)
  })
}

const { credentials } = clientSettings
const keysWith = (changed: Partial<typeof credentials>) => ({ ...credentials, ...changed })

describe.each(services)('the embedded $service', ({ endpoint, target, call }) => {
  const typed = { 'x-amz-target': target, 'content-type': 'application/x-amz-json-1.0' }

  it('responds to a request that is signed with the access keys of this start', async () => {
    await expect(call({ ...clientSettings, endpoint })).resolves.toHaveProperty(
      '$metadata.httpStatusCode',
      200,
    )
  })

  it.each([
    ['the access key of another start', keysWith({ accessKeyId: 'LOCAL0000' })],
    ['a wrong secret access key', keysWith({ secretAccessKey: 'local' })],
  ])('refuses %s', async (_, wrong) => {
    await expect(call({ ...clientSettings, endpoint, credentials: wrong })).rejects.toHaveProperty(
      '$metadata.httpStatusCode',
      403,
    )
  })

  it.each([
    ['no signature', {}],
    ['a signature that is not Version 4', { authorization: 'Bearer local' }],
    [
      'a made-up signature',
      {
        'x-amz-date': '20261122T025403Z',
        authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20261122/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
      },
    ],
    ['a web page of another site', { origin: 'https://attacker.example' }],
    ['a web page of another port of this machine', { origin: 'http://127.0.0.1:3000' }],
    ['a page without an origin of its own', { origin: 'null' }],
    ['a host name that was rebound to this machine', { host: 'attacker.example' }],
  ])('refuses %s', async (_, headers) => {
    for (const path of ['/', `/${Bucket}?delete`, `/${Bucket}`]) {
      const refused = await send(endpoint + path, { headers: { ...typed, ...headers } })
      expect([path, refused.status]).toEqual([path, 403])
      expect(Object.keys(refused.headers).join()).not.toContain('access-control')
      expect(refused.body).not.toContain('the-secret')
    }
  })

  it('refuses the preflight request of a browser', async () => {
    const headers = { origin: 'https://attacker.example', 'access-control-request-method': 'POST' }
    const refused = await send(endpoint, { method: 'OPTIONS', headers })
    expect(refused.status).toBe(403)
    expect(Object.keys(refused.headers).join()).not.toContain('access-control')
  })
})

describe('the stand-in', () => {
  const headers = {
    'x-svc-api-appkey': localCredentials.appKey,
    'x-svc-api-apptoken': localCredentials.appToken,
  }
  const search = (more: object) =>
    send(`${platform.url}/api/dataentities/CL/search`, { method: 'GET', headers: { ...headers, ...more } })

  it.each([
    ['a web page of another site', { origin: 'https://attacker.example' }],
    ['a page without an origin of its own', { origin: 'null' }],
    ['a host name that was rebound to this machine', { host: 'attacker.example' }],
    ['other credentials', { 'x-svc-api-apptoken': 'other' }],
  ])('refuses %s', async (_, more) => {
    expect((await search({})).status).toBe(200)
    const refused = await search(more)
    expect([401, 403]).toContain(refused.status)
    expect(Object.keys(refused.headers).join()).not.toContain('access-control')
  })

  it('accepts other credentials at each start', async () => {
    const configuration = resolveConfig({ upstream: { baseUrl: 'https://shop.example.com' } })
    const shops = await Promise.all(
      [1, 2].map(() => startExampleShop({ configuration, rules: [], folder: undefined, like: undefined })),
    )
    await Promise.all(shops.map((shop) => shop.close()))
    const tokens = shops.map(({ credentials: { appToken } }) => appToken)
    expect(new Set([...tokens, localCredentials.appToken]).size).toBe(3)
  })
})

describe('a presigned URL of the embedded S3', () => {
  const client = new S3Client({ ...clientSettings, endpoint: s3.endpoint })
  const Key = "snapshots/CL/a b(1)'é.json"
  const get = (url: string, headers = {}) => send(url, { method: 'GET', headers })
  beforeAll(() => client.send(new PutObjectCommand({ Bucket, Key, Body: 'content' })))
  afterAll(() => client.destroy())

  const link = (options: Parameters<typeof getSignedUrl>[2] = {}) =>
    getSignedUrl(
      client,
      new GetObjectCommand({ Bucket, Key, ResponseContentType: 'text/plain; a=(b)' }),
      options,
    )

  it('reads its object without further credentials', async () => {
    expect(await get(await link())).toMatchObject({ status: 200, body: 'content' })
  })

  it('is refused for another method, and for a page of another origin', async () => {
    const url = await link()
    expect((await send(url, { method: 'DELETE' })).status).toBe(403)
    expect((await get(url, { origin: 'https://attacker.example' })).status).toBe(403)
  })
})
