import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readQuery } from '../../../functions/proxy/query-rules.ts'
import { largestResultBytes, relay } from '../../../functions/proxy/response-rules.ts'
import { endpoint, refusal } from './refusal.ts'

interface Given {
  readonly name?: string
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
  readonly query?: string
}

function relayed({ name = 'read-dock', status = 200, headers = {}, body = '{}', query = '' }: Given) {
  const entry = endpoint(name)
  return relay({ status, headers, body: Buffer.from(body) }, entry, {
    headerPrefix: 'X-SVC',
    query: readQuery(query, entry),
  })
}

const bytes = (result: { body?: string | undefined; isBase64Encoded?: boolean | undefined }) =>
  Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8')

describe('status and body', () => {
  test.each([200, 201, 206, 400, 401, 403, 404, 408, 418, 429, 500, 503])('%i is passed on', (status) => {
    expect(relayed({ status, body: 'x' })).toMatchObject({ statusCode: status, body: 'x' })
  })

  test.each([
    ['text', Buffer.from('{"a": "é🚚", "n": 12345678901234567890.0}\r\n'), false],
    ['nothing', Buffer.alloc(0), false],
    ['a byte order mark', Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]), false],
    ['binary', Buffer.from([0, 1, 0x80, 0xff]), true],
    ['half a character', Buffer.from([0x22, 0xc3]), true],
    ['an encoded surrogate', Buffer.from([0xed, 0xa0, 0x80]), true],
    ['all bytes', Buffer.from(Array.from({ length: 256 }, (_, index) => index)), true],
  ])('%s arrives byte for byte', (_, body, isBase64Encoded) => {
    const result = relayed({ body })
    expect(bytes(result)).toEqual(body)
    expect(result.isBase64Encoded).toBe(isBase64Encoded)
  })

  test('a compressed body stays compressed', () => {
    const body = gzipSync('{"a":1}')
    const result = relayed({ body, headers: { 'content-encoding': 'gzip' } })
    expect(bytes(result)).toEqual(body)
    expect(result.headers).toEqual({ 'content-encoding': 'gzip' })
  })

  test('an encoded body goes as base64 even where its bytes pass for text', () => {
    const result = relayed({ body: 'abc', headers: { 'content-encoding': 'br' } })
    expect(result).toMatchObject({ isBase64Encoded: true, body: Buffer.from('abc').toString('base64') })
  })

  test.each([204, 304])('%i has no body', (status) => {
    expect(relayed({ status, body: '' })).toEqual({ statusCode: status, headers: {} })
  })

  test.each([300, 301, 302, 303, 305, 307, 308])('%i is not passed on', (status) => {
    const problem = refusal(() => relayed({ status, headers: { location: 'https://elsewhere.example/x' } }))
    expect(problem).toMatchObject({
      type: 'urn:longshore:problem:upstream-redirect',
      status: 502,
      upstreamStatus: status,
    })
    expect(JSON.stringify(problem)).not.toContain('elsewhere')
  })

  test('a redirect that names no place is not passed on either', () => {
    expect(refusal(() => relayed({ status: 302 }))).toMatchObject({ status: 502 })
  })
})

describe('response headers', () => {
  const everything = {
    'content-type': 'application/json; charset=utf-8',
    'retry-after': '3',
    'rest-content-range': 'resources=0-1/5',
    'rest-content-total': '5',
    'x-svc-md-token': 'next',
    'x-vtex-md-token': 'other',
    'set-cookie': 'a=b',
    'content-length': '2',
    'transfer-encoding': 'chunked',
    'keep-alive': 'timeout=5',
    connection: 'keep-alive',
    server: 's',
    date: 'd',
    etag: 'e',
    'cache-control': 'max-age=60',
    location: '/',
    'www-authenticate': 'Basic',
    'access-control-allow-origin': '*',
    'longshore-warning': 'from above',
    'x-svc-api-appkey': 'k',
  }
  const always = { 'content-type': 'application/json; charset=utf-8', 'retry-after': '3' }

  test.each([
    ['read-dock', '', always],
    ['update-subscription-group', '', always],
    ['update-subscription', '', always],
    ['search-documents', '_sort=id', { ...always, 'rest-content-range': 'resources=0-1/5' }],
    ['scroll-documents', '', { ...always, 'rest-content-total': '5', 'x-svc-md-token': 'next' }],
  ])('%s brings down what is listed and nothing else', (name, query, expected) => {
    expect(relayed({ name, query, headers: everything }).headers).toEqual(expected)
  })

  test('a header that the upstream keeps to the connection stays there', () => {
    const headers = { 'content-type': 'a/b', 'retry-after': '3', connection: 'close, Retry-After' }
    expect(relayed({ headers }).headers).toEqual({ 'content-type': 'a/b' })
  })

  test('no Content-Type is made up', () => expect(relayed({}).headers).toEqual({}))

  test.each([
    ['search-documents', '', true],
    ['search-documents', 'name=x', true],
    ['search-documents', '_sort=', true],
    ['search-documents', '_sort=name%20ASC', false],
    ['search-documents', '%5Fsort=name', false],
    ['scroll-documents', '', false],
    ['read-dock', '', false],
  ])('%s with query "%s" warns that pages may repeat: %s', (name, query, warns) => {
    const warning = relayed({ name, query }).headers?.['longshore-warning']
    expect(String(warning).includes('_sort')).toBe(warns)
    expect(warning !== undefined).toBe(warns)
  })
})

describe('size', () => {
  const serialised = (result: unknown) => Buffer.byteLength(JSON.stringify(result))
  const frame = serialised(relayed({ body: '' }))

  test('the largest text that Lambda takes passes', () => {
    const result = relayed({ body: 'x'.repeat(largestResultBytes - frame) })
    expect(result.isBase64Encoded).toBe(false)
    expect(serialised(result)).toBe(largestResultBytes)
  })

  test('one byte more does not', () => {
    expect(refusal(() => relayed({ body: 'x'.repeat(largestResultBytes - frame + 1) }))).toMatchObject({
      type: 'urn:longshore:problem:answer-too-large',
      status: 502,
    })
  })

  test('text that grows much by JSON goes as base64', () => {
    const body = '\u0001'.repeat(1_100_000)
    const result = relayed({ body })
    expect(result.isBase64Encoded).toBe(true)
    expect(bytes(result).equals(Buffer.from(body))).toBe(true)
  })

  test('text that grows little by JSON stays text', () => {
    expect(relayed({ body: '{"a":"b"}'.repeat(300_000) }).isBase64Encoded).toBe(false)
  })

  test('binary that is too large only as base64 does not pass', () => {
    expect(refusal(() => relayed({ body: Buffer.alloc(4_800_000, 0xff) }))).toMatchObject({ status: 502 })
    expect(relayed({ body: Buffer.alloc(4_700_000, 0xff) }).statusCode).toBe(200)
  })

  test.each([
    ['read-dock', /platform/],
    ['update-subscription-group', /read the group/],
    ['update-subscription', /read the subscription/],
    ['search-documents', /REST-Range.*_fields/],
    ['scroll-documents', /_size.*_fields/],
  ])('%s says what to do', (name, advice) => {
    const { detail } = refusal(() => relayed({ name, body: Buffer.alloc(largestResultBytes, 'x') }))
    expect(detail).toMatch(/^The answer of the platform is larger than the 6 MB/)
    expect(detail).toMatch(advice)
  })
})
