import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { UpstreamFailure } from '../../../../functions/upstream/exchange.ts'
import { SearchFailed, searchOne, searchRequest } from '../../../../stored/partitions/search.ts'
import type { SearchFailureReason } from '../../../../stored/partitions/search-outcomes.ts'

type Response =
  | {
      status?: number
      range?: string
      body?: string | Buffer
      coding?: string
      retryAfter?: string
      remaining?: string
      age?: string
    }
  | UpstreamFailure

/** Searches with these responses, the last of which repeats. */
async function search(
  responses: readonly Response[],
  request: Partial<Parameters<typeof searchOne>[2]> = {},
  query: Record<string, string | string[]> = {},
) {
  const sent: { target: string; headers: object }[] = []
  const slept: number[] = []
  const io = {
    now: () => 0,
    redact: (text: string) => text.replaceAll('secret', '***'),
    random: () => 1,
    deadline: 200_000,
    sleep: async (ms: number) => void slept.push(ms),
    request: async (target: string, headers: object) => {
      sent.push({ target, headers })
      const response = responses[Math.min(sent.length, responses.length) - 1] ?? {}
      if (response instanceof Error) throw response
      const {
        status = 200,
        range = 'resources=0-1/7',
        body = '[{"at":"x"}]',
        coding,
        retryAfter,
        remaining,
        age,
      } = response
      const headersOfResponse = {
        'rest-content-range': range,
        ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
        ...(remaining !== undefined && { 'x-ratelimit-remaining': remaining }),
        ...(coding !== undefined && { 'content-encoding': coding }),
        ...(age !== undefined && { age }),
      }
      return { status, headers: headersOfResponse, body: Buffer.from(body) }
    },
  }
  const target = { searchPath: '/find/{data_entity}', entity: 'C L', query }
  const result = await searchOne(io, target, { by: 'at', ...request }).catch((error: unknown) => error)
  return { result, sent, slept }
}

const queryOf = (sent: readonly { target: string }[]) => [
  ...new URL(sent[0]?.target ?? '', 'http://x').searchParams,
]

describe('a search for one document', () => {
  it('has the query of the entity, without its fields and order', async () => {
    const { sent } = await search([{}], {}, { _fields: 'id', _sort: 'id ASC', _keyword: ['a', 'b'] })
    expect(sent[0]?.target).toMatch(/^\/find\/C%20L\?/)
    expect(sent[0]?.headers).toEqual({ 'REST-Range': 'resources=0-1' })
    expect(queryOf(sent)).toEqual([
      ['_keyword', 'a'],
      ['_keyword', 'b'],
      ['_fields', 'at'],
    ])
  })

  it('reads a response with a byte order mark, as a scroll does', async () => {
    const { result } = await search([{ body: '\uFEFF [{"at":"x"}]\r\n' }])
    expect(result).toMatchObject({ value: 'x', total: 7 })
  })

  it('adds a filter and an order', async () => {
    const { sent } = await search([{}], { where: '(at is null)', sort: 'DESC' }, { _where: 'a=1' })
    expect(queryOf(sent)).toEqual([
      ['_where', '(a=1) AND (at is null)'],
      ['_fields', 'at'],
      ['_sort', 'at DESC'],
    ])
  })

  it('is sent as a GET for plain JSON with the credentials for documents', () => {
    expect(searchRequest('/find', { 'REST-Range': 'resources=0-1' }, 500)).toEqual({
      area: 'documents',
      method: 'GET',
      target: '/find',
      headers: { Accept: 'application/json', 'Accept-Encoding': 'identity', 'REST-Range': 'resources=0-1' },
      totalMs: 500,
      maxBytes: 1024 * 1024,
    })
  })

  it.each<[string, Response, object]>([
    ['the total and the value', {}, { total: 7, value: 'x' }],
    ['the total with white space around', { range: ' resources=10-110/42 ' }, { total: 42, value: 'x' }],
    [
      'the value of a body that was compressed although not requested',
      { body: gzipSync('[{"at":"y"}]'), coding: 'GZip' },
      { total: 7, value: 'y' },
    ],
    ['no value if the field is missing', { body: '[{}]' }, { total: 7, value: undefined }],
    ['no value without a document', { body: '[]' }, { total: 7, value: undefined }],
    ['no value of a document that is null', { body: '[null]' }, { total: 7, value: undefined }],
    ['no value of a document that is text', { body: '["x"]' }, { total: 7, value: undefined }],
    ['no value of a body that is not a list', { body: '{"0":{"at":1}}' }, { total: 7, value: undefined }],
    ['no value of a body that is not JSON', { body: '<html>' }, { total: 7, value: undefined }],
    ['the total of a partial response', { status: 206 }, { total: 7, value: 'x' }],
    ['the total of an unusual success', { status: 299 }, { total: 7, value: 'x' }],
  ])('reads %s', async (_, response, result) => {
    expect(await search([response])).toMatchObject({ result, slept: [], sent: [{}] })
  })

  const empty = { range: 'resources=0-1/0', body: '[]' }
  const busy = { status: 503 }

  it.each<[string, readonly Response[], number, readonly number[]]>([
    ['by a second one', [empty, empty], 0, []],
    ['by a second one after a failure', [empty, busy, empty], 0, [1_000]],
    ['by a second one if the try before it failed', [busy, empty, empty], 0, [500]],
    ['or corrected', [empty, {}], 7, []],
    ['or corrected after a failure', [busy, empty, {}], 7, [500]],
    ['or corrected although the first try was lost', [new UpstreamFailure('timeout'), empty, {}], 7, [500]],
  ])('with an empty result is confirmed %s', async (_, responses, ...[total, slept]) => {
    expect(await search(responses)).toMatchObject({ result: { total, requests: responses.length }, slept })
  })

  it('with an empty result that nothing confirms fails', async () => {
    const { result, sent } = await search([busy, busy, busy, busy, empty])
    expect(result).toEqual(
      new SearchFailed('outage', 'The search found nothing, and no second search confirmed it.'),
    )
    expect(sent).toHaveLength(5)
  })

  const noTotal = 'The search did not report a total (REST-Content-Range).'

  it.each<[string, Response, SearchFailureReason, string]>([
    ['503', { status: 503 }, 'outage', 'The search responded with 503.'],
    ['500', { status: 500 }, 'outage', 'The search responded with 500.'],
    ['429', { status: 429 }, 'outage', 'The search responded with 429.'],
    ['408', { status: 408 }, 'outage', 'The search responded with 408.'],
    [
      'a broken connection',
      new UpstreamFailure('interrupted'),
      'outage',
      'The search failed: the connection broke before the response was complete.',
    ],
    [
      'too little time',
      new UpstreamFailure('not-sent'),
      'outage',
      'The search failed: the time limit was reached before the request could be sent.',
    ],
    [
      'a timeout',
      new UpstreamFailure('timeout'),
      'outage',
      'The search failed: the platform did not respond in time.',
    ],
    [
      'no connection',
      new UpstreamFailure('unreachable', { cause: new Error('host shop.invalid not found') }),
      'outage',
      'The search failed: host shop.invalid not found.',
    ],
    ['no total', { range: '' }, 'refused', noTotal],
    ['a malformed total', { range: 'x resources=0-1/7' }, 'refused', noTotal],
    ['a total with a unit', { range: 'resources=0-1/7x' }, 'refused', noTotal],
  ])('is repeated four times after %s', async (_, response, ...[reason, message]) => {
    const { result, sent, slept } = await search([response])
    expect(result).toEqual(new SearchFailed(reason, message))
    expect(sent).toHaveLength(5)
    expect(slept).toEqual([500, 1_000, 2_000, 4_000])
  })

  it('succeeds after a failure', async () => {
    expect(await search([{ status: 503 }, {}])).toMatchObject({ result: { total: 7 }, slept: [500] })
  })

  it.each([
    ['as long as it asks', '7', 7_000],
    ['at most two minutes', '121', 120_000],
    ['at least as long as its own backoff', '0', 500],
  ])('waits after a Retry-After %s', async (_, retryAfter, ms) => {
    expect((await search([{ status: 429, retryAfter }, {}])).slept).toEqual([ms])
  })

  it.each<[string, Response, string]>([
    ...[401, 403].map((status): [string, Response, string] => [
      String(status),
      { status },
      `The search failed: the platform responded with ${status}: the credentials were rejected.`,
    ]),
    ...[300, 400, 499].map((status): [string, Response, string] => [
      String(status),
      { status },
      `The search responded with ${status}: the field may not be searchable.`,
    ]),
    [
      '302',
      { status: 302 },
      'The search responded with 302, a redirect to an unknown address (check upstream.baseUrl).',
    ],
    ['a large response', new UpstreamFailure('too-large'), 'The search failed: the response is too large.'],
  ])('fails at once after %s', async (_, response, message) => {
    const { result, sent } = await search([response])
    expect(result).toEqual(new SearchFailed('refused', message))
    expect(sent).toHaveLength(1)
  })

  it.each<[string, Response, SearchFailureReason, string]>([
    [
      'a firewall, which may block the filter',
      { status: 403, body: '<html><title>Denied to secret</title>' },
      'refused',
      'The search failed: a firewall responded with 403 and an HTML page "Denied to ***" (allow Longshore\'s requests there; if there is no firewall, set valid credentials).',
    ],
    [
      'a limit',
      { status: 403, body: '{"message":"slow down"}', remaining: '0' },
      'outage',
      'The search failed: the platform limits requests and responded with 403: {"message":"slow down"} (have its limit raised or lower maxConcurrentScrolls; if there is no limit, set valid credentials).',
    ],
    [
      'a cache',
      { age: '3600' },
      'outage',
      "The search failed: a cache on the way to the platform responded with 200, 3600 seconds old (exclude the platform's API from caching).",
    ],
    [
      'a body that cannot be decoded',
      { body: Buffer.from('1f9d90', 'hex') },
      'outage',
      'The search failed: the response of the platform cannot be read: its body is compressed (compress) in addition to what its Content-Encoding says.',
    ],
  ])('is repeated after a response of %s', async (_, response, ...[reason, message]) => {
    const { result, sent } = await search([response])
    expect(result).toEqual(new SearchFailed(reason, message))
    expect(sent).toHaveLength(5)
    expect(await search([response, {}])).toMatchObject({ result: { total: 7 } })
  })

  it('throws an unexpected error', async () => {
    const error = new TypeError('unexpected')
    const io = {
      now: () => 0,
      random: () => 1,
      redact: (text: string) => text,
      deadline: 1,
      sleep: async () => {},
      request: () => Promise.reject(error),
    }
    const target = { searchPath: '/find', entity: 'CL', query: {} }
    await expect(searchOne(io, target, { by: 'at' })).rejects.toBe(error)
  })
})
