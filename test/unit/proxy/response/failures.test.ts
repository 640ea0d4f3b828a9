import { expect, it } from 'vitest'
import { endpointsWith } from '../../../../functions/platform/configured-endpoints.ts'
import { undecodable } from '../../../../functions/proxy/response/delivery.ts'
import { explain, OutcomeUnknown } from '../../../../functions/proxy/response/failures.ts'
import { DecodingError } from '../../../../functions/upstream/content-codings.ts'
import type { UpstreamFailureKind } from '../../../../functions/upstream/exchange.ts'
import { CredentialsError, UpstreamFailure } from '../../../../functions/upstream/exchange.ts'
import { UnknownItemVersion } from '../../../../stored/item-version.ts'
import { endpoint } from '../request/refusal.ts'

it.each<[UpstreamFailureKind, string, string, string]>([
  ['not-sent', 'read-dock', 'request-not-sent', 'took too long, so nothing was sent'],
  ['unreachable', 'update-subscription', 'upstream-unreachable', 'Unreachable. Nothing was sent to'],
  ['unreachable', 'read-dock', 'upstream-unreachable', 'it is safe to send the request again.'],
  [
    'interrupted',
    'read-dock',
    'upstream-interrupted',
    'The request changes nothing, so it is safe to send it again.',
  ],
  [
    'timeout',
    'search-documents',
    'upstream-timeout',
    'The request changes nothing, so it is safe to send it again.',
  ],
  ['timeout', 'scroll-documents', 'upstream-timeout', 'Start a new scroll without _token'],
  ['timeout', 'update-subscription', 'upstream-timeout', 'on the platform before you send it again'],
  ['interrupted', 'update-subscription-group', 'upstream-interrupted', 'The outcome is unknown'],
  [
    'unreadable',
    'update-subscription',
    'upstream-response-unusable',
    'The response of the platform cannot be read: unreadable. The outcome is unknown',
  ],
  ['too-large', 'read-dock', 'response-too-large', 'Make the dock smaller on the platform.'],
])(
  'the problem of a failed exchange: %s of %s is %s, with what to do',
  (kind, name, ...[problem, detail]) => {
    const error = new UpstreamFailure(kind)
    const extensions = name.startsWith('update') && kind !== 'unreachable' ? { outcome: 'unknown' } : {}
    expect(explain(error, endpoint(name))).toMatchObject({
      problem: { problem, message: expect.stringContaining(detail) as string, extensions },
      logged: error,
    })
  },
)

it.each([
  ['', 'on the platform'],
  ['/api/rns/subscriptions/{id}', 'with GET /api/rns/subscriptions/{subscriptionId}'],
])('advises to read the subscription where %j is configured: %s', (path, where) => {
  const configured = { path, area: 'subscriptions', query: [], responseHeaders: [], scope: 'a' }
  const update = endpointsWith(path ? [configured] : []).find(({ name }) => name === 'update-subscription')
  const problem = 'idempotency-outcome-unknown'
  expect(explain(new OutcomeUnknown(), update)).toMatchObject({
    problem: { problem, extensions: { outcome: 'unknown' } },
  })
  for (const error of [
    new OutcomeUnknown(),
    ...(['timeout', 'too-large'] as const).map((kind) => new UpstreamFailure(kind)),
  ])
    expect(explain(error, update).problem.message).toContain(`Read the subscription ${where}`)
})

it('advises to request less only from an endpoint that has parameters', () => {
  expect(endpoint('get-api-oms-pvt-orders').withoutResponse).toMatch(/^Request less with the parameters/)
  expect(endpoint('get-api-a-b').withoutResponse).toBe('Read it on the platform.')
})

it.each<[string, Error, string, string]>([
  [
    'a malformed secret',
    new CredentialsError('malformed', ''),
    'credentials-unreadable',
    'The secret must be {"appKey"',
  ],
  [
    'an item of a newer release',
    new UnknownItemVersion({ pk: 'p', sk: 's' }, 9),
    'internal-error',
    'Cannot read the item p / s',
  ],
])('explains %s and logs it', (_, error, ...[problem, detail]) => {
  expect(explain(error)).toMatchObject({
    problem: { problem, message: expect.stringContaining(detail) as string },
    logged: error,
  })
})

it('explains a body that cannot be decoded as a sentence', () => {
  expect(undecodable(new DecodingError('malformed', 'its gzip body is cut off'))).toBe(
    'Its gzip body is cut off.',
  )
})
