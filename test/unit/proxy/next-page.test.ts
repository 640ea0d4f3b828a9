import { brotliCompressSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { withNextPage } from '../../../functions/proxy/next-page.ts'
import { readQuery } from '../../../functions/proxy/query-rules.ts'
import { endpoint } from './refusal.ts'

interface Given {
  readonly name?: string
  readonly status?: number
  readonly query?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer | undefined
}

async function link(given: Given): Promise<string | undefined> {
  const { name = 'scroll-documents', status: statusCode = 200, query = '', body = '[{}]' } = given
  const headers = given.headers ?? { 'x-svc-md-token': 'next' }
  const answer = { statusCode, headers, body: Buffer.from(body) }
  const request = { headerPrefix: 'X-SVC', query: readQuery(query, endpoint(name)) }
  const { headers: sent, ...rest } = await withNextPage(answer, endpoint(name), request)
  expect(rest).toEqual({ statusCode, body: answer.body })
  expect(sent).toMatchObject(headers)
  return sent['link']
}

describe('a page of a scroll leads to the next', () => {
  test.each<[string, Given, string]>([
    ['the first', {}, '_token=next'],
    ['one by an older token', { query: '_token=before' }, '_token=next'],
    [
      'one without a token goes on with the last',
      { query: 'a=1&_token=a%2Bb+c', headers: {} },
      '_token=a%2Bb+c',
    ],
    ['one with an empty token too', { query: '_token=t', headers: { 'x-svc-md-token': ' ' } }, '_token=t'],
    ['without the filters and the size of the first', { query: '_size=5&_fields=id&a=b' }, '_token=next'],
    [
      'a token that needs escapes',
      { headers: { 'x-svc-md-token': 'a+b/c=&d>"e' } },
      '_token=a%2Bb%2Fc%3D%26d%3E%22e',
    ],
    ['white space around the list', { body: '\r\n [ \n{}]' }, '_token=next'],
    ['a byte order mark', { body: '\uFEFF[{}]' }, '_token=next'],
    [
      'JSON by its type',
      { headers: { 'x-svc-md-token': 'n', 'content-type': 'application/json' } },
      '_token=n',
    ],
  ])('%s', async (_, given, query) => expect(await link(given)).toBe(`<?${query}>; rel="next"`))

  test('whatever the token, a client that resolves the link sends it', async () => {
    const tokens = fc.string({ unit: 'grapheme-ascii', minLength: 1 }).filter((token) => token.trim() !== '')
    await fc.assert(
      fc.asyncProperty(tokens, async (token) => {
        const value = await link({ headers: { 'x-svc-md-token': token } })
        const [, reference = ''] = /^<([^<>]*)>; rel="next"$/.exec(value ?? '') ?? []
        const next = new URL(reference, 'https://api.example/stage/api/dataentities/CL/scroll?_size=10')
        expect(next.pathname).toBe('/stage/api/dataentities/CL/scroll')
        expect([...next.searchParams]).toEqual([['_token', token.trim()]])
      }),
    )
  })
})

describe('there is no next page', () => {
  test.each<[string, Given]>([
    ['after an empty body', { body: '' }],
    ['after white space', { body: ' \r\n\t' }],
    ['after an empty list', { body: '[]' }],
    ['after an empty list with space in it', { body: ' [ \n ] ' }],
    ['after 204', { status: 204 }],
    ['after an error', { status: 400, body: '[{}]' }],
    ['after what is no list', { body: '{"Message":"no"}' }],
    ['after a page of HTML', { headers: { 'x-svc-md-token': 'n', 'content-type': 'text/html' } }],
    ['where no token is known', { headers: {}, query: '_size=10' }],
    ['of a search', { name: 'search-documents', headers: { 'rest-content-range': 'resources=0-1/9' } }],
    ['of a dock', { name: 'read-dock' }],
  ])('%s', async (_, given) => expect(await link(given)).toBeUndefined())
})

describe('compressed by the platform', () => {
  const packed = (coding: string) => ({ 'x-svc-md-token': 'next', 'content-encoding': coding })
  const random = Array.from({ length: 3000 }, (_, i) => (i * i * 7919) % 997).join()

  test.each<[string, string, Buffer, boolean]>([
    ['a short page', 'gzip', gzipSync('[{}]'), true],
    ['a long page', 'br', brotliCompressSync(`[${random}]`), true],
    ['an empty list', 'gzip', gzipSync('[]'), false],
    ['an empty list', 'br', brotliCompressSync(' []'), false],
    ['nothing', 'gzip', gzipSync(''), false],
    ['nothing at all', 'gzip', Buffer.alloc(0), false],
    ['what is not what it says', 'gzip', Buffer.from('[{}]'), false],
    ['a bomb', 'gzip', gzipSync(Buffer.alloc(900_000)), false],
  ])('%s (%s)', async (_, ...[coding, body, isPage]) => {
    expect((await link({ body, headers: packed(coding) })) !== undefined).toBe(isPage)
  })
})
