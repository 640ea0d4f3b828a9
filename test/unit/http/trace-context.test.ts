import { describe, expect, test } from 'vitest'
import { correlationId, nextTraceParent, readTraceParent } from '../../../functions/http/trace-context.ts'
import { upstreamHeaders } from '../../../functions/proxy/request/header-rules.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const parentId = 'b7ad6b7169203331'

describe('a traceparent', () => {
  test.each([
    ['of version 00', `00-${traceId}-${parentId}-01`, '01'],
    ['with flags unknown to version 00', `00-${traceId}-${parentId}-ff`, 'ff'],
    ['with zeros at the beginning of its ids', `00-${traceId}-${'0'.repeat(15)}1-01`, '01'],
    ['of a later version', `01-${traceId}-${parentId}-00`, '00'],
    ['of a later version with more members', `cc-${traceId}-${parentId}-00-what-the-future-holds`, '00'],
  ])('%s is read', (_what, value, flags) => expect(readTraceParent(value)).toEqual({ traceId, flags }))

  test.each([
    ['is missing', undefined],
    ['is empty', ''],
    ['has the invalid version ff', `ff-${traceId}-${parentId}-01`],
    ['has capitals', `00-${traceId.toUpperCase()}-${parentId}-01`],
    ['has a trace id of zeros', `00-${'0'.repeat(32)}-${parentId}-01`],
    ['has a parent id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['has more members than version 00', `00-${traceId}-${parentId}-01-more`],
    ['is followed by other characters', `cc-${traceId}-${parentId}-01.more`],
    ['has spaces around it', ` 00-${traceId}-${parentId}-01`],
    ['is two, joined by API Gateway', `00-${traceId}-${parentId}-01,00-${traceId}-${parentId}-01`],
    ['ends in a line break', `00-${traceId}-${parentId}-01\n`],
  ])('that %s is ignored', (_what, value) => expect(readTraceParent(value)).toBeUndefined())

  test.each([
    ['01', '01'],
    ['00', '00'],
    ['ff', '01'],
    ['02', '00'],
  ])('with the flags %s continues in version 00 with a new span and the flags %s', (flags, next) => {
    const one = nextTraceParent({ traceId, flags })
    expect(one).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-${next}$`))
    expect(readTraceParent(one)).toEqual({ traceId, flags: next })
    expect(nextTraceParent({ traceId, flags })).not.toBe(one)
  })
})

test('the correlation id is the caller’s trace id, or else the id of the request', () => {
  const requestContext = { requestId: 'request-1' }
  const headers = { traceparent: `00-${traceId}-${parentId}-01` }
  expect(correlationId({ headers, requestContext })).toBe(traceId)
  expect(correlationId({ headers: { traceparent: 'nonsense' }, requestContext })).toBe('request-1')
  expect(correlationId({ requestContext })).toBe('request-1')
})

test('only a valid traceparent is forwarded, and only where it is listed', () => {
  const valid = { traceparent: `00-${traceId}-${parentId}-01` }
  const listed = { requestHeaders: ['traceparent'] }
  expect(upstreamHeaders(valid, listed)['traceparent']).toContain(traceId)
  expect(upstreamHeaders({ traceparent: 'nonsense' }, listed)).not.toHaveProperty('traceparent')
  expect(upstreamHeaders(valid, { requestHeaders: [] })).not.toHaveProperty('traceparent')
  expect(upstreamHeaders({}, listed)).not.toHaveProperty('traceparent')
})
