import { describe, expect, test } from 'vitest'
import { upstreamHeaders } from '../../../../functions/proxy/request/header-rules.ts'
import { endpoint, refusal } from './refusal.ts'

const json = { accept: 'application/json', 'content-type': 'application/json' }

describe('request headers', () => {
  test.each<[string, string, Record<string, string>, Record<string, string>]>([
    ['JSON is the default', 'read-dock', {}, json],
    ['an Accept for any type requests JSON', 'read-dock', { accept: ' */* ' }, json],
    ['an empty Accept requests JSON', 'read-dock', { accept: '' }, json],
    [
      'the caller’s Accept is forwarded',
      'read-dock',
      { accept: 'application/vnd.x+json' },
      { ...json, accept: 'application/vnd.x+json' },
    ],
    [
      'the caller’s Accept-Encoding is forwarded',
      'scroll-documents',
      { 'accept-encoding': 'gzip, br' },
      { ...json, 'accept-encoding': 'gzip, br' },
    ],
    [
      'the Content-Type of a PATCH is forwarded unchanged',
      'update-subscription',
      { 'content-type': 'Application/JSON; charset=UTF-8' },
      { ...json, 'content-type': 'Application/JSON; charset=UTF-8' },
    ],
    ['the Content-Type of a GET is not forwarded', 'read-dock', { 'content-type': 'text/plain' }, json],
    ['REST-Range is not forwarded on a dock', 'read-dock', { 'rest-range': 'nonsense' }, json],
    ['REST-Range is not forwarded on a scroll', 'scroll-documents', { 'rest-range': 'resources=0-1' }, json],
    ['REST-Range may be missing', 'search-documents', {}, json],
    [
      'no other header is forwarded',
      'search-documents',
      {
        authorization: 'a',
        cookie: 'b',
        'x-svc-api-appkey': 'c',
        'x-svc-api-apptoken': 'd',
        'x-vtex-api-appkey': 'e',
        'user-agent': 'f',
        host: 'g',
        connection: 'close',
        'transfer-encoding': 'chunked',
        'content-length': '3',
        'x-forwarded-for': 'h',
        'if-none-match': 'i',
        range: 'j',
      },
      json,
    ],
  ])('%s', (_, ...[name, given, expected]) => {
    expect(upstreamHeaders(given, endpoint(name))).toEqual(expected)
  })

  test.each(['resources=0-100', 'resources=0-1', 'resources=9900-10000', 'resources=7-8'])(
    'REST-Range %s is forwarded',
    (range) => {
      expect(upstreamHeaders({ 'rest-range': range }, endpoint('search-documents'))['rest-range']).toBe(range)
    },
  )

  test.each([' resources=0-10\t', 'Resources=0-10', 'resources = 0 - 10'])(
    'REST-Range %j is forwarded as the interface writes it',
    (range) => {
      const headers = upstreamHeaders({ 'rest-range': range }, endpoint('search-documents'))
      expect(headers['rest-range']).toBe('resources=0-10')
    },
  )

  test.each([
    'resources=0-101',
    'resources=100-100',
    'resources=5-4',
    'resources=-1-4',
    'resources=0-',
    'resources=0.5-2',
    'resources=a-b',
    'bytes=0-10',
    '0-10',
    '',
    'resources=0-10, resources=10-20',
    'resources=0-10/500',
    'x resources=0-10',
    'resources=99999999999999999999-99999999999999999999',
  ])('REST-Range %j is refused with the valid form', (range) => {
    expect(
      refusal(() => upstreamHeaders({ 'rest-range': range }, endpoint('search-documents'))),
    ).toMatchObject({
      status: 400,
      header: 'REST-Range',
      detail: expect.stringMatching(/REST-Range.*resources=x-y/),
    })
  })

  test.each(['a\nb', 'a\u0000', 'caf\u00e9', '\u2603'])(
    'a header value that is not ASCII is refused: %j',
    (accept) => {
      expect(refusal(() => upstreamHeaders({ accept }, endpoint('read-dock')))).toMatchObject({
        status: 400,
        header: 'accept',
        detail: 'The header accept contains characters outside ASCII, which cannot be forwarded.',
      })
    },
  )
})
