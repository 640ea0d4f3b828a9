import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeResponse } from '../../../../functions/upstream/decode-response.ts'
import { CredentialsError, UpstreamFailure } from '../../../../functions/upstream/exchange.ts'
import { classOf } from '../../../../functions/upstream/intermediary.ts'
import { TooManyDocuments } from '../../../../functions/worker/page/store.ts'
import { bodyKind } from '../../../../functions/worker/scroll/body-kind.ts'
import { causeOf, outcomeOfResponse, type RequestKind } from '../../../../functions/worker/scroll/decision.ts'
import type { OutcomeName } from '../../../../functions/worker/scroll/outcomes.ts'
import { readScrollFailure, readScrollResponse } from '../../../../functions/worker/scroll/response.ts'
import { MalformedPage } from '../../../../stored/documents/json-scalars.ts'

const respond = (status: number, body = '', headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: Buffer.from(body),
})
/** Years from the clock of the process, which must not matter. */
const now = Date.UTC(2031, 0, 2)
const redact = (text: string) => text.replaceAll('key-of-ours', '***')
const read = (given: ReturnType<typeof respond>, request: RequestKind) =>
  readScrollResponse(given, { request, now, redact })

/** The row of a response. */
const rowOf = (status: number, body: string) =>
  outcomeOfResponse({
    status,
    body: bodyKind(Buffer.from(body)),
    text: body,
    by: classOf(respond(status, body)),
    retryAfterMs: undefined,
  })
const expiredToken = '{"Message":"Operation not found for this token: \'X\'"}'

const tooManyScrolls = '{"Message":"Maximum simultaneous scrolls rate exceeded (10)"}'

describe('the response to a scroll request', () => {
  it.each<[string, number, string, OutcomeName]>([
    ['documents', 200, '[{"id":"1"}]', 'page'],
    ['documents with white space around', 200, ' \n[{"id":"1"}]\r\n', 'page'],
    ['documents with an unusual success', 206, '[{"id":"1"}]', 'page'],
    ['an empty body', 200, '', 'empty page'],
    ['a body of white space', 200, ' \r\n\t', 'empty page'],
    ['an empty list', 200, '[]', 'empty page'],
    ['an empty list with white space', 200, ' [ \n ] ', 'empty page'],
    ['no content', 204, '', 'no content'],
    ['null', 200, 'null', 'no list'],
    ['an empty object', 200, '{}', 'no list'],
    ['a page of HTML', 200, '<html><body>Hello</body></html>', 'not JSON'],
    ['an error body', 200, '{"Message":"sorry"}', 'no list'],
    ['a body that was cut off', 200, '[{"id":"1"},{"id"', 'cut off'],
    ['a redirect', 302, '', 'redirect'],
    ['a permanent redirect', 308, '', 'permanent redirect'],
    ['another permanent redirect', 301, '<html>', 'permanent redirect'],
    ['not modified', 304, '[]', 'another status'],
    ['a status without a class', 999, '', 'another status'],
    ['a request that took too long', 408, 'Request timeout', 'request timeout'],
    ['an error of the platform', 500, '[]', 'platform failed'],
    ['a bad gateway', 502, '<html>', 'platform failed'],
    ['busy', 503, '', 'platform failed'],
    ['a gateway timeout', 504, '[{"id":"1"}]', 'platform failed'],
    ['too many requests', 429, 'slow down', 'too many requests'],
    ['rejected credentials', 401, '', 'credentials rejected'],
    ['credentials without permission', 403, 'no', 'credentials rejected'],
    ['credentials without permission, in JSON', 403, '{"error":{"code":1}}', 'credentials rejected'],
    ['a page of a firewall', 403, '<!DOCTYPE html><html>…', 'firewall'],
    ['a request that came too early', 425, '', 'platform failed'],
    ['too many scrolls', 400, tooManyScrolls, 'too many scrolls'],
    ['an expired token, or a malformed _where', 400, expiredToken, 'request refused'],
    ['not found', 404, 'nothing here', 'request refused'],
    ['gone', 410, '', 'request refused'],
  ])('is classified: %s (%i %j) is %s', (_, status, ...[body, outcome]) => {
    expect(rowOf(status, body)).toBe(outcome)
    for (const request of ['first', 'later'] as const) {
      const response = read(respond(status, body), request)
      expect(response.kind === 'failure' ? response.outcome : outcome).toBe(outcome)
    }
  })

  it.each([429, 408, 500, 503, 302])('may have a Retry-After with status %i', (status) => {
    expect(read(respond(status, '', { 'retry-after': '7' }), 'later')).toMatchObject({ retryAfterMs: 7_000 })
    expect(read(respond(status, '', { 'retry-after': 'soon' }), 'later')).toMatchObject({
      retryAfterMs: undefined,
    })
    const soon = new Date(now + 60_000).toUTCString()
    const failure = read(respond(status, '', { 'retry-after': soon }), 'later')
    expect(failure).toMatchObject({ retryAfterMs: 60_000 })
  })

  it.each([
    ['a text', 400, '{"Message":"no"}', ': {"Message":"no"}'],
    ['several lines', 400, ' a\r\n\tb\u0000\u001b[31mc ', ': a b [31mc'],
    ['white space', 503, ' \n', ''],
    ['a long text', 500, 'x'.repeat(1000), `: ${'x'.repeat(300)}…`],
    ['a text that is one character too long', 500, 'x'.repeat(301), `: ${'x'.repeat(300)}…`],
    ['our credentials', 400, 'not key-of-ours', ': not ***'],
    ['our credentials at the cut', 400, `${'x'.repeat(293)} key-of-ours`, `: ${'x'.repeat(293)} ***`],
    ['our credentials after the cut', 400, `no${' '.repeat(4090)}key-of-ours`, ': no'],
    ['a text that ends where reading stops', 400, `${' '.repeat(4090)}abcdef`, ': abcdef'],
    ['a text that just fits', 500, 'x'.repeat(300), `: ${'x'.repeat(300)}`],
    [
      'the title of an HTML page, without markup',
      521,
      '<!DOCTYPE html><html><head><title>Web server is down for key-of-ours</title></head><body class="x">',
      ' and an HTML page "Web server is down for ***"',
    ],
    ['an HTML page without text', 503, '<html></html>', ' and an HTML page'],
  ])('is quoted: %s', (_, status, ...[body, detail]) => {
    const expected = `the platform responded with ${status}${detail}`
    expect(read(respond(status, body), 'later')).toMatchObject({ detail: expected })
  })

  const html =
    '<!DOCTYPE html><html><head><title>Sign in\nwith key-of-ours</title><style>b{}</style></head><b>now'
  const type = 'Text/HTML; charset=utf-8'
  const notAnArray = 'a body that is not a JSON array'
  const longText = 'a word '.repeat(14)
  const notOurs = ', which the platform does not send'

  it.each<[string, string | undefined, string, string]>([
    ['a page of HTML', type, html, `an HTML page "Sign in with ***"${notOurs}`],
    ['HTML without its type', 'application/json', html, `an HTML page "Sign in with ***"${notOurs}`],
    ['a page of HTML without text', type, '<html></html>', `an HTML page${notOurs}`],
    [
      'a page of HTML without a title',
      type,
      '<html><script>let a = "<b>"</script><!-- x --><p class="a">Not <b>now</b></p>',
      `an HTML page "Not now"${notOurs}`,
    ],
    ['long HTML', type, `<p>${'a word '.repeat(900)}`, `an HTML page "${longText}a …"${notOurs}`],
    ['plain text, which may be a customer’s', 'text/plain', 'Jane Doe', 'text/plain, not a JSON array'],
    ['JSON of another form', 'application/json', '{"email":"a@b.c"}', notAnArray],
    ['JSON that is called HTML', type, '{"email":"a@b.c"}', 'text/html, not a JSON array'],
    ['JSON of a vendor', 'application/vnd.x+json', '{"email":"a@b.c"}', notAnArray],
    ['a body without a type', undefined, '{"email":"a@b.c"}', notAnArray],
    ['a malformed type', 'key-of-ours', '{"email":"a@b.c"}', notAnArray],
  ])(
    'is described by its type, and quoted only if it is HTML: %s',
    (_, contentType, ...[body, described]) => {
      const headers = contentType === undefined ? {} : { 'content-type': contentType }
      const failure = read(respond(200, body, headers), 'later')
      expect(failure).toMatchObject({ detail: `the platform responded with 200 and ${described}` })
    },
  )

  it('names the firewall with the title of its page, and the credentials', () => {
    const page = '<html><head><title>One moment</title></head><body><script>check()</script>'
    expect(read(respond(403, page, { 'content-type': 'text/html' }), 'later')).toMatchObject({
      outcome: 'firewall',
      decision: { cursor: 'unknown', action: 'retry' },
      detail:
        'a firewall responded with 403 and an HTML page "One moment" (allow Longshore\'s requests there; if there is no firewall, set valid credentials)',
    })
  })

  it.each([200, 204, 400, 403, 429, 503])(
    'names the cache that sent an old response with status %i',
    (status) => {
      expect(read(respond(status, '[{"id":"1"}]', { age: '3600' }), 'later')).toMatchObject({
        outcome: 'cache',
        decision: { cursor: 'unknown', action: 'retry' },
        detail: `a cache on the way to the platform responded with ${status}, 3600 seconds old (exclude the platform's API from caching)`,
      })
      expect(read(respond(status, '[{"id":"1"}]', { age: '60' }), 'later')).not.toMatchObject({
        outcome: 'cache',
      })
    },
  )

  it.each<[string | undefined, string]>([
    ['https://www.shop.example/login?session=s3cret#top', 'www.shop.example'],
    ['//www.shop.example:8443/login', 'www.shop.example:8443'],
    ['https://user:s3cret@www.shop.example/', 'www.shop.example'],
    ['/login?session=s3cret', 'the same host'],
    ['https://[', 'an unknown address'],
    [undefined, 'an unknown address'],
  ])('names the host of a redirect and the setting to check: %s', (location, target) => {
    const failure = read(respond(302, '', location === undefined ? {} : { location }), 'first')
    expect(failure).toMatchObject({
      detail: `the platform responded with 302, a redirect to ${target} (check upstream.baseUrl)`,
    })
    const permanent = read(respond(301, '', location === undefined ? {} : { location }), 'later')
    expect(permanent).toMatchObject({
      detail: `the platform responded with 301, a permanent redirect to ${target}: set upstream.baseUrl to the address of its API, and deploy`,
    })
  })

  it.each(['[{"id":1}', '[{"id":1}]<!-- cached -->', '[{"id":1}]\0'])(
    'is described as an array without its end or with more after it: %j',
    (body) => {
      expect(read(respond(200, body), 'later')).toMatchObject({
        outcome: 'cut off',
        detail: 'the platform responded with 200 and a JSON array that is cut off or followed by other bytes',
      })
    },
  )

  it.each([
    '[{"id":1,"tags":["a"]',
    '[{"id":1,"items":[{"a":1}]',
    '[{"id":1,"note":"[a]',
    '[{"id":1},{"a":[[]] \n',
  ])('of a first page is cut off although it ends with a bracket: %j', (body) => {
    expect(read(respond(200, body), 'first')).toMatchObject({ outcome: 'cut off' })
  })

  it.each(['[{"id":1},]', '[{"id":1,}]', '[{"note":"5" pipe"}]', '[1]', '[{"a":"\t"}]'])(
    'of a first page that is malformed is kept as it is: %j',
    (body) => expect(read(respond(200, body), 'first')).toMatchObject({ kind: 'page' }),
  )

  it('explains what to do if the credentials are rejected', () => {
    const failure = read(respond(401, 'nope'), 'later')
    expect(failure).toMatchObject({ detail: expect.stringMatching(/401: nope.*set valid ones/) })
  })

  it.each<[Record<string, string>, OutcomeName, number | undefined]>([
    [{ 'retry-after': '2' }, 'rate limit with a time', 2_000],
    [{ 'retry-after': 'soon' }, 'rate limit', undefined],
    [{ ratelimit: '"a";r=0' }, 'rate limit', undefined],
  ])('names the limit and the credentials if a 403 has %j', (headers, outcome, retryAfterMs) => {
    const detail = expect.stringMatching(
      /limits requests .* 403: slow down .*set valid credentials/,
    ) as string
    for (const request of ['first', 'later'] as const)
      expect(read(respond(403, 'slow down', headers), request)).toMatchObject({
        outcome,
        retryAfterMs,
        detail,
      })
    expect(causeOf(outcome, 'first')).toBe('credentials')
    expect(causeOf(outcome, 'later')).toBeUndefined()
  })

  it('is never an end if it is a failure, nor a failure if it is an end', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 599 }),
        fc.string(),
        fc.constantFrom('first' as const, 'later' as const),
        (status, ...given) => {
          const [body, request] = given
          const { kind } = read(respond(status, body), request)
          const blank = /^[ \t\r\n]*(\[[ \t\r\n]*\])?[ \t\r\n]*$/.test(body)
          expect(kind === 'end').toBe(status < 300 && (status === 204 || blank))
          expect(kind === 'page' && status >= 300).toBe(false)
        },
      ),
    )
  })
})

/** The error of a page whose gzip body cannot be decoded. */
function undecoded(body: Buffer): Error {
  try {
    decodeResponse({ status: 200, headers: { 'content-encoding': 'gzip' }, body }, 1_000)
  } catch (error) {
    if (error instanceof UpstreamFailure) return error
    throw error
  }
  throw new Error('The body was decoded.')
}

describe('a request without a response', () => {
  it.each(['unreachable', 'timeout', 'interrupted', 'too-large'] as const)('is classified: %s', (kind) => {
    const failure = readScrollFailure(new UpstreamFailure(kind), 'first')
    expect(failure).toMatchObject({ outcome: kind, detail: expect.stringMatching(/./) })
  })

  it('was not sent if the time was over, and is classified as unreachable', () => {
    expect(readScrollFailure(new UpstreamFailure('not-sent'), 'later')).toMatchObject({
      outcome: 'unreachable',
      detail: expect.stringContaining('before the request could be sent') as string,
    })
  })

  it('gives the reason why the platform could not be reached', () => {
    const cause = new Error('host shop.invalid not found')
    const { detail } = readScrollFailure(new UpstreamFailure('unreachable', { cause }), 'first')
    expect(detail).toBe('the platform could not be reached: host shop.invalid not found')
  })

  it.each<[string, Error, OutcomeName, RegExp]>([
    ['unset credentials', new CredentialsError('not-set', 'x'), 'credentials not set', /not set yet.*Set/],
    [
      'a malformed secret',
      new CredentialsError('malformed', 'The secret must be…'),
      'credentials malformed',
      /secret must/,
    ],
    [
      'an unreadable secret',
      new CredentialsError('unreadable', 'x'),
      'credentials unreadable',
      /could not be read/,
    ],
    ['too many documents', new TooManyDocuments(45_001), 'too many documents', /45001 .* at most 45000/],
    ['half a body', undecoded(gzipSync('[{}]').subarray(0, -1)), 'interrupted', /its gzip body is cut off$/],
    [
      'a damaged body',
      undecoded(Buffer.from('1f8b0000000000', 'hex')),
      'unreadable',
      /its gzip body is damaged$/,
    ],
    ['a page that is not JSON', new MalformedPage('The page is…'), 'malformed page', /The page is/],
  ])('is classified: %s', (_, error, ...[outcome, detail]) => {
    expect(readScrollFailure(error, 'first')).toMatchObject({
      outcome,
      detail: expect.stringMatching(detail),
    })
  })

  it.each([new TypeError('ours'), new Error('x'), 'text', undefined])(
    'is thrown again if it is an error of our own: %s',
    (error) => {
      let thrown: unknown = 'nothing'
      try {
        readScrollFailure(error, 'later')
      } catch (caught) {
        thrown = caught
      }
      expect(thrown).toBe(error)
    },
  )
})

it('never cuts the platform’s text within a character', () => {
  const failure = read(respond(400, `${'x'.repeat(299)}😀 and more`), 'first')
  expect(failure.kind === 'failure' && failure.detail.isWellFormed()).toBe(true)
})
