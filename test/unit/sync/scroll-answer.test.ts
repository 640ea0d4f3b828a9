import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readScrollAnswer, readScrollFailure } from '../../../functions/sync/scroll-answer.ts'
import { CredentialsError, UpstreamFailure } from '../../../functions/upstream/failures.ts'

const answer = (status: number, body = '', headers: Record<string, string> = {}) => ({
  status,
  headers,
  body: Buffer.from(body),
})
const deadToken = '{"Message":"Operation not found for this token: \'X\'"}'

describe('what an answer to a scroll request means', () => {
  it.each([
    ['documents', 200, '[{"id":"1"}]', 'page', 'page'],
    ['documents with white space around', 200, ' \n[{"id":"1"}]\r\n', 'page', 'page'],
    ['documents with an unusual success', 206, '[{"id":"1"}]', 'page', 'page'],
    ['an empty body', 200, '', 'end', 'end'],
    ['a body of white space', 200, ' \r\n\t', 'end', 'end'],
    ['an empty list', 200, '[]', 'end', 'end'],
    ['an empty list with white space', 200, ' [ \n ] ', 'end', 'end'],
    ['no content', 204, '', 'end', 'end'],
    ['a page of HTML', 200, '<html><body>Hello</body></html>', 'unknown', 'unknown'],
    ['an object', 200, '{"Message":"sorry"}', 'unknown', 'unknown'],
    ['a body that was cut off', 200, '[{"id":"1"},{"id"', 'unknown', 'unknown'],
    ['a redirect', 302, '', 'unknown', 'unknown'],
    ['not modified', 304, '', 'unknown', 'unknown'],
    ['a request that took too long', 408, 'Request timeout', 'unknown', 'unknown'],
    ['an error of the platform', 500, 'oops', 'unknown', 'unknown'],
    ['a bad gateway', 502, '<html>', 'unknown', 'unknown'],
    ['busy', 503, '', 'unknown', 'unknown'],
    ['a gateway that waited in vain', 504, '', 'unknown', 'unknown'],
    ['too many requests', 429, 'slow down', 'throttled', 'throttled'],
    ['keys that are wrong', 401, '', 'refused', 'refused'],
    ['keys without the right', 403, 'no', 'refused', 'refused'],
    ['a dead token', 400, deadToken, 'refused', 'dead-token'],
    ['not found', 404, 'nothing here', 'refused', 'dead-token'],
    ['gone', 410, '', 'refused', 'dead-token'],
  ])('%s (%i %j): first request %s, later %s', (_, status, ...[body, first, later]) => {
    expect(readScrollAnswer(answer(status, body), true).kind).toBe(first)
    expect(readScrollAnswer(answer(status, body), false).kind).toBe(later)
  })

  it('keeps the page as it came', () => {
    const given = answer(200, ' [{"id": 1.10}]')
    expect(readScrollAnswer(given, true)).toEqual({ kind: 'page', body: given.body })
  })

  it.each([429, 408, 500, 503, 302])('%i may say when to come back', (status) => {
    expect(readScrollAnswer(answer(status, '', { 'retry-after': '7' }), false)).toMatchObject({
      retryAfterMs: 7_000,
    })
    expect(readScrollAnswer(answer(status, '', { 'retry-after': 'soon' }), false)).toMatchObject({
      retryAfterMs: undefined,
    })
    const soon = new Date(Date.now() + 60_000).toUTCString()
    const read = readScrollAnswer(answer(status, '', { 'retry-after': soon }), false)
    expect('retryAfterMs' in read && read.retryAfterMs).toBeGreaterThan(55_000)
  })

  it.each([
    ['the platform speaks', 400, '{"Message":"no"}', 'the platform answered 400: {"Message":"no"}'],
    ['it speaks on many lines', 400, ' a\r\n\tb\u0000\u001b[31mc ', 'the platform answered 400: a b [31mc'],
    ['it says nothing', 503, ' \n', 'the platform answered 503'],
    ['it says too much', 500, 'x'.repeat(1000), `the platform answered 500: ${'x'.repeat(300)}…`],
    ['it says one letter too much', 500, 'x'.repeat(301), `the platform answered 500: ${'x'.repeat(300)}…`],
    ['just enough', 500, 'x'.repeat(300), `the platform answered 500: ${'x'.repeat(300)}`],
  ])('is told in its words when %s', (_, status, ...[body, detail]) => {
    expect(readScrollAnswer(answer(status, body), false)).toMatchObject({ detail })
  })

  it('tells who has no valid keys what to do', () => {
    const read = readScrollAnswer(answer(401, 'nope'), false)
    expect(read).toMatchObject({ detail: expect.stringMatching(/401: nope.*set valid ones in the secret/) })
  })

  it('is always one short line', () => {
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), fc.string({ unit: 'binary' }), (status, body) => {
        const read = readScrollAnswer(answer(status, body.repeat(30)), false)
        if (!('detail' in read)) throw new Error('no detail')
        expect(read.detail).not.toMatch(/\p{Cc}/u)
        expect(read.detail.length).toBeLessThan(450)
      }),
    )
  })

  it('never takes a failure for the end, nor the end for a failure', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), fc.string(), fc.boolean(), (status, ...given) => {
        const [body, first] = given
        const { kind } = readScrollAnswer(answer(status, body), first)
        const blank = /^[ \t\r\n]*(\[[ \t\r\n]*\])?[ \t\r\n]*$/.test(body)
        expect(kind === 'end').toBe(status < 300 && (status === 204 || blank))
        expect(kind === 'page' && status >= 300).toBe(false)
      }),
    )
  })
})

describe('what it means that there is no answer', () => {
  it.each([
    ['unreachable', 'not-sent'],
    ['timeout', 'unknown'],
    ['interrupted', 'unknown'],
    ['too-large', 'unknown'],
  ] as const)('%s: %s', (kind, expected) => {
    const read = readScrollFailure(new UpstreamFailure(kind))
    expect(read).toMatchObject({ kind: expected, detail: expect.stringMatching(/./) })
  })

  it.each<[string, CredentialsError, string, RegExp]>([
    [
      'keys that are not set',
      new CredentialsError('not-set', 'x'),
      'refused',
      /not set.*put them into the secret/,
    ],
    [
      'a malformed secret',
      new CredentialsError('unreadable', 'The secret must be…'),
      'refused',
      /The secret must be/,
    ],
    [
      'a store that is down',
      new CredentialsError('unreadable', 'x', { cause: new Error('down') }),
      'not-sent',
      /could not be read/,
    ],
  ])('%s: as it passes or not', (_, error, ...[kind, detail]) => {
    expect(readScrollFailure(error)).toMatchObject({ kind, detail: expect.stringMatching(detail) })
  })

  it.each([new TypeError('ours'), new Error('x'), 'text', undefined])(
    'throws on what is our own: %s',
    (error) => {
      let thrown: unknown = 'nothing'
      try {
        readScrollFailure(error)
      } catch (caught) {
        thrown = caught
      }
      expect(thrown).toBe(error)
    },
  )
})
