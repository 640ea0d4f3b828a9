import { describe, expect, test } from 'vitest'
import { ProblemError } from '../../../../functions/http/result.ts'
import { afterError, afterResponse } from '../../../../functions/proxy/idempotency/key-rules.ts'
import { UnusableResponse } from '../../../../functions/proxy/response/relay.ts'
import { CredentialsError, UpstreamFailure } from '../../../../functions/upstream/exchange.ts'

describe('an idempotency key', () => {
  test.each([200, 201, 202, 204, 304, 400, 402, 404, 405, 407, 409, 410, 413, 422, 428, 430, 451, 499])(
    'keeps the response %i',
    (status) => expect(afterResponse(status)).toBe('keep'),
  )

  test.each([401, 403, 429])('is free after the response %i', (status) => {
    expect(afterResponse(status)).toBe('free')
  })

  test.each([408, 500, 501, 502, 503, 504, 599])('has an unknown outcome after the response %i', (status) => {
    expect(afterResponse(status)).toBe('unknown')
  })

  test.each([
    new UpstreamFailure('not-sent'),
    new UpstreamFailure('unreachable'),
    new CredentialsError('not-set', ''),
    new CredentialsError('malformed', ''),
    new CredentialsError('unreadable', ''),
  ])('is free after an error before sending: $name $kind', (error) => expect(afterError(error)).toBe('free'))

  test.each([401, 403, 429])('is free after a response %i that cannot be relayed', (upstreamStatus) => {
    expect(afterError(new UnusableResponse('upstream-response-unusable', '', upstreamStatus))).toBe('free')
  })

  test.each([
    new UpstreamFailure('timeout'),
    new UpstreamFailure('interrupted'),
    new UpstreamFailure('too-large'),
    new UnusableResponse('upstream-redirect', '', 302),
    new UnusableResponse('upstream-response-unusable', '', 200),
    new UnusableResponse('upstream-response-unusable', '', 503),
    new ProblemError('internal-error', ''),
    new TypeError('unexpected'),
    'text',
    undefined,
  ])('has an unknown outcome after any other error: %s', (error) => expect(afterError(error)).toBe('unknown'))
})
