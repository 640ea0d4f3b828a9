import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MalformedPage } from '../../../functions/documents/json-scalars.ts'
import { CredentialsError, UpstreamFailure } from '../../../functions/upstream/errors.ts'
import type { OutcomeName } from '../../../functions/worker/scroll/outcomes.ts'
import { readScrollAnswer, readScrollFailure } from '../../../functions/worker/scroll/response.ts'

const answer = (status: number, body = '', headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: Buffer.from(body),
})
/** Years from the process's own clock, which must not matter. */
const now = Date.UTC(2031, 0, 2)
const redact = (text: string) => text.replaceAll('key-of-ours', '***')
const read = (given: ReturnType<typeof answer>, first: boolean) =>
  readScrollAnswer(given, { first, now, redact })
const deadToken = '{"Message":"Operation not found for this token: \'X\'"}'

describe('what an answer to a scroll request is', () => {
  it.each<[string, number, string, OutcomeName]>([
    ['documents', 200, '[{"id":"1"}]', 'documents'],
    ['documents with white space around', 200, ' \n[{"id":"1"}]\r\n', 'documents'],
    ['documents with an unusual success', 206, '[{"id":"1"}]', 'documents'],
    ['an empty body', 200, '', 'nothing'],
    ['a body of white space', 200, ' \r\n\t', 'nothing'],
    ['an empty list', 200, '[]', 'nothing'],
    ['an empty list with white space', 200, ' [ \n ] ', 'nothing'],
    ['no content', 204, '', 'no content'],
    ['a page of HTML', 200, '<html><body>Hello</body></html>', 'something else'],
    ['an error body', 200, '{"Message":"sorry"}', 'something else'],
    ['a body that was cut off', 200, '[{"id":"1"},{"id"', 'something else'],
    ['a redirect', 302, '', 'another status'],
    ['not modified', 304, '[]', 'another status'],
    ['a status of no class', 999, '', 'another status'],
    ['a request that took too long', 408, 'Request timeout', 'request timeout'],
    ['an error of the platform', 500, '[]', 'platform failed'],
    ['a bad gateway', 502, '<html>', 'platform failed'],
    ['busy', 503, '', 'platform failed'],
    ['a gateway that waited in vain', 504, '[{"id":"1"}]', 'platform failed'],
    ['too many requests', 429, 'slow down', 'too many requests'],
    ['keys that are wrong', 401, '', 'keys rejected'],
    ['keys without the right', 403, 'no', 'keys rejected'],
    ['a dead token, or a bad _where', 400, deadToken, 'request refused'],
    ['not found', 404, 'nothing here', 'request refused'],
    ['gone', 410, '', 'request refused'],
  ])('%s (%i %j): %s', (_, status, ...[body, outcome]) => {
    expect(read(answer(status, body), true).outcome).toBe(outcome)
    expect(read(answer(status, body), false).outcome).toBe(outcome)
  })

  it('keeps the page as it came', () => {
    const given = answer(200, ' [{"id": 1.10}]')
    expect(read(given, true)).toMatchObject({ answer: given })
  })

  it.each([429, 408, 500, 503, 302])('%i may say when to come back', (status) => {
    expect(read(answer(status, '', { 'retry-after': '7' }), false)).toMatchObject({
      retryAfterMs: 7_000,
    })
    expect(read(answer(status, '', { 'retry-after': 'soon' }), false)).toMatchObject({
      retryAfterMs: undefined,
    })
    const soon = new Date(now + 60_000).toUTCString()
    const came = read(answer(status, '', { 'retry-after': soon }), false)
    expect(came).toMatchObject({ retryAfterMs: 60_000 })
  })

  it.each([
    ['the platform speaks', 400, '{"Message":"no"}', 'the platform answered 400: {"Message":"no"}'],
    ['it speaks on many lines', 400, ' a\r\n\tb\u0000\u001b[31mc ', 'the platform answered 400: a b [31mc'],
    ['it says nothing', 503, ' \n', 'the platform answered 503'],
    ['it says too much', 500, 'x'.repeat(1000), `the platform answered 500: ${'x'.repeat(300)}…`],
    ['it says one letter too much', 500, 'x'.repeat(301), `the platform answered 500: ${'x'.repeat(300)}…`],
    ['it says our keys', 400, 'not key-of-ours', 'the platform answered 400: not ***'],
    [
      'it says our keys where they are cut',
      400,
      `${'x'.repeat(293)} key-of-ours`,
      `the platform answered 400: ${'x'.repeat(293)} ***`,
    ],
    ['it says our keys far behind', 400, `no${' '.repeat(4090)}key-of-ours`, 'the platform answered 400: no'],
    ['just enough', 500, 'x'.repeat(300), `the platform answered 500: ${'x'.repeat(300)}`],
  ])('is told in its words when %s', (_, status, ...[body, detail]) => {
    expect(read(answer(status, body), false)).toMatchObject({ detail })
  })

  it('tells who has no valid keys what to do', () => {
    const came = read(answer(401, 'nope'), false)
    expect(came).toMatchObject({ detail: expect.stringMatching(/401: nope.*set valid ones in the secret/) })
  })

  it('is always one short line', () => {
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), fc.string({ unit: 'binary' }), (status, body) => {
        const came = read(answer(status, body.repeat(30)), false)
        if (!('detail' in came)) throw new Error('no detail')
        expect(came.detail).not.toMatch(/\p{Cc}/u)
        expect(came.detail.length).toBeLessThan(450)
      }),
    )
  })

  it('never takes a failure for the end, nor the end for a failure', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), fc.string(), fc.boolean(), (status, ...given) => {
        const [body, first] = given
        const { action } = read(answer(status, body), first).verdict
        const blank = /^[ \t\r\n]*(\[[ \t\r\n]*\])?[ \t\r\n]*$/.test(body)
        expect(action === 'end').toBe(status < 300 && (status === 204 || blank))
        expect(action === 'keep-page' && status >= 300).toBe(false)
      }),
    )
  })
})

describe('what it is that there is no answer', () => {
  it.each(['unreachable', 'timeout', 'interrupted', 'too-large'] as const)('%s', (kind) => {
    const read = readScrollFailure(new UpstreamFailure(kind), true)
    expect(read).toMatchObject({ outcome: kind, detail: expect.stringMatching(/./) })
  })

  it.each<[string, Error, OutcomeName, RegExp]>([
    [
      'keys that are not set',
      new CredentialsError('not-set', 'x'),
      'keys not set',
      /not set.*put them into the secret/,
    ],
    [
      'a malformed secret',
      new CredentialsError('malformed', 'The secret must be…'),
      'keys malformed',
      /The secret must be/,
    ],
    [
      'a store that is down',
      new CredentialsError('unreadable', 'x', { cause: new Error('down') }),
      'keys unread',
      /could not be read/,
    ],
    ['a page that is no JSON', new MalformedPage('The page is…'), 'malformed page', /The page is/],
  ])('%s: as it passes or not', (_, error, ...[outcome, detail]) => {
    expect(readScrollFailure(error, true)).toMatchObject({ outcome, detail: expect.stringMatching(detail) })
  })

  it.each([new TypeError('ours'), new Error('x'), 'text', undefined])(
    'throws on what is our own: %s',
    (error) => {
      let thrown: unknown = 'nothing'
      try {
        readScrollFailure(error, false)
      } catch (caught) {
        thrown = caught
      }
      expect(thrown).toBe(error)
    },
  )
})
