import { afterEach, describe, expect, it, vi } from 'vitest'
import { logRequest, type RequestLog } from '../../../functions/http/request-log.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** The line that is written for a request. */
function lineOf(change: Partial<RequestLog> = {}): Record<string, unknown> {
  const print = vi.spyOn(console, 'log').mockReturnValue()
  logRequest({
    route: 'GET /syncs',
    status: 200,
    durationMs: 12,
    requestId: 'request-1',
    correlationId: 'trace-1',
    ...change,
  })
  return JSON.parse(String(print.mock.lastCall?.[0]))
}

describe('the log line of a request', () => {
  it.each<[string, number, string | undefined, string]>([
    ['INFO', 200, undefined, 'a response'],
    ['INFO', 404, 'not-found', 'an error of the caller'],
    ['INFO', 499, undefined, 'the last status of a caller'],
    ['WARN', 500, undefined, 'a failure of the platform'],
    ['WARN', 503, 'credentials-not-set', 'credentials that are not set'],
    ['ERROR', 500, 'internal-error', 'an error in Longshore'],
  ])('has the level %s for status %i with the problem %s: %s', (level, status, problem) => {
    expect(lineOf({ status, problem })).toMatchObject({ level, message: 'request', status })
  })

  it('has the metrics of its exchanges with the platform', () => {
    const line = lineOf({ metrics: { UpstreamFault: [0, 1] } })
    expect(line).toMatchObject({ UpstreamFault: [0, 1], durationMs: 12 })
    expect(line).not.toHaveProperty('InternalErrors')
    expect(line).not.toHaveProperty('error')
  })

  it('has no metrics if nothing failed and the platform was not called', () => {
    expect(lineOf()).not.toHaveProperty('_aws')
  })

  it('describes the error behind an internal error, and counts it', () => {
    const line = lineOf({ status: 500, problem: 'internal-error', error: new TypeError('unexpected') })
    expect(line).toMatchObject({ InternalErrors: 1, error: { name: 'TypeError', message: 'unexpected' } })
  })
})
