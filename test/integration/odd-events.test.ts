import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiFunctionName, apiFunctions, apiRoutes } from '../../functions/http/lambda-functions.ts'
import { problems } from '../../functions/http/result.ts'
import { resolveConfig } from '../../lib/config.ts'
import { builtFunction } from '../../local/built-function.ts'
import type { Bundle } from '../../local/bundle.ts'
import { invoke, type LambdaHandler } from '../../local/lambda.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { type Platform, startPlatform } from '../../local/stand-in/platform.ts'
import { endpoints } from '../endpoints.ts'
import { startStandInBundle } from './stand-in-bundle.ts'

const configuration = resolveConfig({
  upstream: { baseUrl: 'https://shop.example.com' },
  entities: [{ name: 'CL', schedule: 'rate(1 day)' }],
  endpoints,
})

/** All routes except the one that starts syncs, since thousands of starts take too long. */
const routeKeys = (name: ApiFunctionName) =>
  apiRoutes(configuration.endpoints)
    [name].map(({ method, path }) => `${method} ${path}`)
    .filter((key) => !key.startsWith('POST'))

let platform: Platform
let bundle: Bundle
let handlers: Record<ApiFunctionName, LambdaHandler>
beforeAll(async () => {
  platform = await startPlatform({
    endpoints: configuration.endpoints,
    documents: { CL: makeDocuments(5) },
    docks: { a: Buffer.from('{}') },
  })
  bundle = await startStandInBundle(configuration, platform)
  const built = apiFunctions.map((name) => [name, builtFunction(name)] as const)
  handlers = Object.fromEntries(built) as typeof handlers
})
afterAll(async () => {
  await bundle?.close('delete-log')
  await platform?.close()
})

/** Any text that a caller can make API Gateway pass on. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '',
    'CL',
    'a',
    '..',
    '%2F',
    '%',
    '\0',
    '\uFFFD',
    'x'.repeat(5000),
    '__proto__',
    'constructor',
  ),
)
const headerNames = [
  'accept',
  'accept-encoding',
  'authorization',
  'content-type',
  'idempotency-key',
  'if-none-match',
  'rest-range',
  'traceparent',
  'x-forwarded-proto',
  'x-svc-api-appkey',
  '__proto__',
]
const body = fc.oneof(
  text,
  fc.json(),
  fc.constantFrom('{"item":{"quantity":1}}', '{"item":[{}]}', '{', 'e30=', '%%%', '=', '\ud800'),
)

const possibleEvent = (name: ApiFunctionName) =>
  fc.record(
    {
      version: fc.constant('2.0'),
      routeKey: fc.constantFrom(...routeKeys(name), '$default'),
      rawPath: text,
      rawQueryString: fc.oneof(
        text,
        fc.constantFrom('_size=5', '_sort=id', '_token=x', 'a&&=%zz', '_size=5&_size=5'),
      ),
      headers: fc.dictionary(fc.constantFrom(...headerNames), text),
      pathParameters: fc.dictionary(
        fc.constantFrom('dockId', 'groupId', 'subscriptionId', 'data_entity', 'entity', 'runId', 'orderId'),
        text,
      ),
      body,
      isBase64Encoded: fc.boolean(),
      requestContext: fc.constant({
        requestId: 'request-1',
        domainName: 'api.example.com',
        stage: '$default',
        authorizer: { iam: { userArn: 'arn:aws:iam::000000000000:user/caller' } },
      }),
    },
    {
      requiredKeys: [
        'version',
        'routeKey',
        'rawPath',
        'rawQueryString',
        'headers',
        'isBase64Encoded',
        'requestContext',
      ],
    },
  )

const members = [
  'version',
  'routeKey',
  'rawPath',
  'rawQueryString',
  'headers',
  'pathParameters',
  'body',
  'isBase64Encoded',
  'requestContext',
] as const

/** Events that only a direct invocation can send: with members missing or of another type. */
const impossibleEvent = (name: ApiFunctionName) =>
  fc.oneof(
    fc.jsonValue(),
    fc
      .tuple(
        possibleEvent(name),
        fc.array(
          fc.tuple(fc.constantFrom(...members), fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined })),
          { minLength: 1, maxLength: 4 },
        ),
      )
      .map(([event, changes]) => ({ ...event, ...Object.fromEntries(changes) })),
  )

interface Response {
  readonly statusCode: number
  readonly headers: Record<string, string>
  readonly body?: string
  readonly isBase64Encoded?: boolean
}

/** A result that API Gateway accepts (payload format 2.0), with valid JSON if its type is JSON. */
function expectWellFormed({ statusCode, headers, body, isBase64Encoded, ...more }: Response): void {
  expect(more).toEqual({})
  expect(Number.isInteger(statusCode) && statusCode >= 200 && statusCode < 600).toBe(true)
  for (const [name, value] of Object.entries(headers)) {
    expect(name).toMatch(/^[a-z0-9-]+$/)
    expect(value).toMatch(/^[\t\x20-\x7e]*$/)
  }
  if (body === undefined) return
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
  if (headers['content-encoding'] !== undefined || !headers['content-type']?.includes('json')) return
  if (headers['content-type'] !== 'application/problem+json') return void JSON.parse(String(bytes) || 'null')
  const { type, title, status, detail } = JSON.parse(String(bytes)) as Record<string, unknown>
  const [, name] = /^urn:longshore:problem:(.+)$/.exec(String(type)) ?? []
  expect({ title, status }).toEqual(problems[name as keyof typeof problems])
  expect(status).toBe(statusCode)
  expect(detail).toMatch(/\.$/)
}

describe.each(apiFunctions)('the function %s', (name) => {
  it('responds to any event of a caller without an internal error', () =>
    fc.assert(
      fc.asyncProperty(possibleEvent(name), async (event) => {
        const response = (await invoke(handlers[name], event, 20)) as Response
        expectWellFormed(response)
        expect(response.statusCode).toBeLessThan(500)
      }),
      { seed: 5, numRuns: 400 },
    ))

  it('returns a well-formed result for any other event', () =>
    fc.assert(
      fc.asyncProperty(impossibleEvent(name), async (event) =>
        expectWellFormed((await invoke(handlers[name], event, 20)) as Response),
      ),
      { seed: 5, numRuns: 400 },
    ))
})
