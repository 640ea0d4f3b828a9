import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { parameterNames } from '../../../functions/http/path-template.ts'
import { type LambdaResult, maxResultBytes, problems } from '../../../functions/http/result.ts'
import { endpointsWith } from '../../../functions/platform/configured-endpoints.ts'
import { createProxy, type ProxyEvent } from '../../../functions/proxy/proxy.ts'
import type { UpstreamRequest } from '../../../functions/upstream/client.ts'
import { UpstreamFailure, type UpstreamFailureKind } from '../../../functions/upstream/exchange.ts'
import { configured } from '../../endpoints.ts'

beforeEach(() => void vi.spyOn(console, 'log').mockReturnValue())
afterEach(() => void vi.restoreAllMocks())

const endpoints = endpointsWith(configured)

const settings = {
  baseUrl: 'https://platform.example',
  headerPrefix: 'X-SVC',
  searchPath: '/v2/{data_entity}/find',
  timeoutSeconds: 25,
}

const odd = fc.string({
  unit: fc.constantFrom('a', '1', '%', '/', '.', ' ', '"', '\\', '\0', '\r\n', 'é', '🚚', '\ud800'),
})
const text = fc.oneof(odd, fc.string({ unit: 'binary' }))
/** Mostly valid values: otherwise nearly every request would be refused. */
const mostly = (valid: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 15, arbitrary: valid }, { weight: 1, arbitrary: text })
const coding = mostly(fc.constantFrom('gzip', 'br', 'identity', 'gzip;q=0', '*', '*;q=0', 'gzip, br'))
const pair = fc
  .tuple(mostly(fc.constantFrom('_token', '_where', '_fields', 'an', 'email')), text)
  .chain(([name, value]) => mostly(fc.constant(`${name}=${encodeURIComponent(value.toWellFormed())}`)))

const calls = fc.record({
  entry: fc.constantFrom(...endpoints),
  value: mostly(fc.constantFrom('CL', 'é🚚', "a &'b")),
  query: fc.oneof(
    fc.constant(''),
    fc.array(pair, { maxLength: 2 }).map((pairs) => pairs.join('&')),
  ),
  headers: fc.record(
    {
      accept: mostly(fc.constant('text/*')),
      'accept-encoding': coding,
      'content-type': mostly(fc.constant('application/json')),
      'rest-range': mostly(fc.constant('resources=0-10')),
      traceparent: text,
      authorization: text,
    },
    { requiredKeys: ['content-type'] },
  ),
  body: mostly(fc.oneof(fc.constant('{"item":{}}'), fc.constant('{"item":[]}'), fc.json())),
})
const responses = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      status: fc.oneof(fc.constant(200), fc.integer({ min: 100, max: 999 })),
      headers: fc.record(
        {
          'content-type': mostly(fc.constantFrom('application/json', 'text/html')),
          // Not br, in which a single byte can be a valid body.
          'content-encoding': mostly(fc.constantFrom('identity', 'gzip', 'compress')),
          'x-svc-md-token': mostly(fc.constantFrom('next', 'a&b=c')),
          'retry-after': mostly(fc.constant('0')),
          connection: mostly(fc.constant('keep-alive')),
          'transfer-encoding': fc.constantFrom('chunked', 'Chunked', 'gzip'),
        },
        { requiredKeys: [] },
      ),
      body: fc.oneof(
        fc.uint8Array().map((bytes) => Buffer.from(bytes)),
        fc.json().map((json) => Buffer.from(json.repeat(99))),
      ),
      packed: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<UpstreamFailureKind>('unreachable', 'timeout', 'interrupted', 'too-large'),
  },
)

/** Every problem but an internal error. */
const allowedTypes = Object.keys(problems)
  .filter((name) => name !== 'internal-error')
  .map((name) => `urn:longshore:problem:${name}`)

const isAscii = (headers: object = {}) => /^[\t -~]*$/.test(Object.values(headers).join(''))

function read({ headers = {}, body = '', isBase64Encoded }: LambdaResult) {
  const raw = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
  const isProblem = headers['content-type'] === 'application/problem+json'
  const plain = headers['content-encoding'] === 'gzip' && isGzip(raw) ? gunzipSync(raw) : raw
  return { raw, plain, problem: isProblem ? JSON.parse(plain.toString()) : undefined }
}

const isGzip = (bytes: Buffer) => bytes[0] === 0x1f && bytes[1] === 0x8b

test('any request and any response of the platform give the platform’s response or a problem', async () => {
  let relayed = 0
  await fc.assert(
    fc.asyncProperty(calls, responses, async ({ entry, value, query, ...given }, response) => {
      const sent: UpstreamRequest[] = []
      const packed = typeof response === 'object' && response.packed
      const upstreamResponse = typeof response === 'object' && {
        status: response.status,
        headers: packed ? { ...response.headers, 'content-encoding': 'gzip' } : response.headers,
        body: packed ? gzipSync(response.body) : response.body,
      }
      const proxy = createProxy({
        settings,
        validation: 'strict',
        endpoints,
        withIdempotency: (_, perform) => perform(),
        wait: async () => undefined,
        upstream: {
          async send(request) {
            sent.push(request)
            if (upstreamResponse) return upstreamResponse
            throw new UpstreamFailure(response as UpstreamFailureKind)
          },
          redact: (text) => text,
        },
      })
      const event = {
        routeKey: `${entry.method} ${entry.path}`,
        rawPath: '/',
        rawQueryString: query,
        pathParameters: Object.fromEntries(parameterNames(entry.path).map((name) => [name, value])),
        requestContext: { requestId: 'r' },
        isBase64Encoded: false,
        ...given,
      } as unknown as ProxyEvent
      const result = await proxy(event, { getRemainingTimeInMillis: () => 29_000 })

      const received = read(result)
      relayed += received.problem ? 0 : 1
      const expectedBody = packed
        ? (response as { body: Buffer }).body
        : (upstreamResponse || { body: undefined }).body
      const isValid = {
        // Node throws for characters that a request line or a header must not contain.
        target: sent.every(({ target }) => /^\/[!-~]*$/.test(target)),
        sentHeaders: sent.every(({ headers }) => isAscii(headers) && !('authorization' in headers)),
        status: result.statusCode >= 200 && result.statusCode < 600,
        headers: isAscii(result.headers),
        size: Buffer.byteLength(JSON.stringify(result)) <= maxResultBytes,
        response: received.problem
          ? allowedTypes.includes(received.problem.type) && received.problem.status === result.statusCode
          : upstreamResponse &&
            result.statusCode === upstreamResponse.status &&
            ([204, 304].includes(result.statusCode)
              ? received.raw.length === 0
              : received.raw.equals(upstreamResponse.body) ||
                received.plain.equals(expectedBody ?? received.raw)),
      }
      expect(isValid).toEqual({
        target: true,
        sentHeaders: true,
        status: true,
        headers: true,
        size: true,
        response: true,
      })
    }),
    { numRuns: 3000 },
  )
  expect(relayed).toBeGreaterThan(100)
})
