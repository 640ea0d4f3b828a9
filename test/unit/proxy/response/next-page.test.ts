import { brotliCompressSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allowedQuery } from '../../../../functions/proxy/request/query-rules.ts'
import { withNextPage } from '../../../../functions/proxy/response/relay.ts'
import { endpoint } from '../request/refusal.ts'

interface Given {
  readonly name?: string
  readonly status?: number
  readonly query?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer | undefined
}

function link(given: Given): string | undefined {
  const { name = 'scroll-documents', status: statusCode = 200, query = '', body = '[{}]' } = given
  const headers = given.headers ?? { 'x-svc-md-token': 'next' }
  const result = { statusCode, headers, body: Buffer.from(body) }
  const request = { headerPrefix: 'X-SVC', query: allowedQuery(query, endpoint(name), undefined) }
  const { headers: sent, ...rest } = withNextPage(result, endpoint(name), request)
  expect(rest).toEqual({ statusCode, body: result.body })
  expect(sent).toMatchObject(headers)
  return sent['link']
}

describe('a page of a scroll has a link to the next', () => {
  test.each<[string, Given, string]>([
    ['the first page', {}, '_token=next'],
    ['a later page with a new token', { query: '_token=before' }, '_token=next'],
    ['no token: the previous token', { query: 'a=1&_token=a%2Bb+c', headers: {} }, '_token=a%2Bb+c'],
    ['empty token: the previous one', { query: '_token=t', headers: { 'x-svc-md-token': ' ' } }, '_token=t'],
    ['a first page with filters: the token alone', { query: '_size=5&_fields=id&a=b' }, '_token=next'],
    ['a token to escape', { headers: { 'x-svc-md-token': 'a+b/c=&d>"e' } }, '_token=a%2Bb%2Fc%3D%26d%3E%22e'],
    ['white space around the list', { body: '\r\n [ \n{}]' }, '_token=next'],
    ['a byte order mark', { body: '\uFEFF[{}]' }, '_token=next'],
    ['JSON by type', { headers: { 'x-svc-md-token': 'n', 'content-type': 'application/json' } }, '_token=n'],
  ])('%s', (_, given, query) => expect(link(given)).toBe(`<?${query}>; rel="next"`))

  test('that a client can resolve for any token', () => {
    const tokens = fc.string({ unit: 'grapheme-ascii', minLength: 1 }).filter((token) => token.trim() !== '')
    fc.assert(
      fc.property(tokens, (token) => {
        const value = link({ headers: { 'x-svc-md-token': token } })
        const [, reference = ''] = /^<([^<>]*)>; rel="next"$/.exec(value ?? '') ?? []
        const next = new URL(reference, 'https://api.example/stage/api/dataentities/CL/scroll?_size=10')
        expect(next.pathname).toBe('/stage/api/dataentities/CL/scroll')
        expect([...next.searchParams]).toEqual([['_token', token.trim()]])
      }),
    )
  })
})

test.each<[string, Given]>([
  ['after an empty body', { body: '' }],
  ['after white space', { body: ' \r\n\t' }],
  ['after an empty list', { body: '[]' }],
  ['after an empty list with space in it', { body: ' [ \n ] ' }],
  ['after 204', { status: 204 }],
  ['after an error', { status: 400, body: '[{}]' }],
  ['after an object', { body: '{"Message":"no"}' }],
  ['after an object that contains a list', { body: '{"items":[{}]}' }],
  ['after a large object', { body: `{"Message":"${'no'.repeat(1000)}"}` }],
  ['after a page of HTML', { headers: { 'x-svc-md-token': 'n', 'content-type': 'text/html' } }],
  ['without any token', { headers: {}, query: '_size=10' }],
  ['of a search', { name: 'search-documents', headers: { 'rest-content-range': 'resources=0-1/9' } }],
  ['of a dock', { name: 'read-dock' }],
])('there is no link: %s', (_, given) => expect(link(given)).toBeUndefined())

const packed = (coding: string) => ({ 'x-svc-md-token': 'next', 'content-encoding': coding })
const random = Array.from({ length: 3000 }, (_, i) => (i * i * 7919) % 997).join()

test.each<[string, string, Buffer, boolean]>([
  ['a short page', 'gzip', gzipSync('[{}]'), true],
  ['a long page', 'br', brotliCompressSync(`[${random}]`), true],
  ['an empty list', 'gzip', gzipSync('[]'), false],
  ['an empty list', 'br', brotliCompressSync(' []'), false],
  ['an empty body', 'gzip', gzipSync(''), false],
  ['no body at all', 'gzip', Buffer.alloc(0), false],
  ['a body that is plain', 'gzip', Buffer.from('[{}]'), true],
  ['a body of 1 KB in another coding', 'gzip', Buffer.alloc(1024), false],
  ['a larger body, which is not decoded', 'gzip', Buffer.alloc(1025), true],
  ['a decompression bomb', 'gzip', gzipSync(Buffer.alloc(900_000)), false],
])('a compressed page: %s (%s)', (_, ...[coding, body, isPage]) => {
  expect(link({ body, headers: packed(coding) }) !== undefined).toBe(isPage)
})
