import { expect, it } from 'vitest'
import { CredentialsError, UpstreamFailure } from '../../../functions/upstream/exchange.ts'
import { countCredentials, countExchange, newUsage, usageMetrics } from '../../../functions/upstream/usage.ts'

it.each([
  [200, 0],
  [399, 0],
  [429, 0],
  [499, 0],
  [500, 1],
  [503, 1],
  [undefined, 1],
])('an exchange with status %s has the fault %i', (status, fault) => {
  const usage = newUsage()
  countExchange(usage, Date.now() - 5, status)
  countExchange(usage, Date.now(), status)
  expect(usageMetrics(usage)).toEqual({ UpstreamFault: [fault, fault] })
  expect(usage.exchangesMs[0]).toBeGreaterThanOrEqual(5)
  expect(usage.exchangesMs[0]).toBeLessThan(5_000)
})

it.each([
  ['credentials that are not set', new CredentialsError('not-set', 'No.'), { CredentialsRejected: 1 }],
  ['a platform that is away', new UpstreamFailure('timeout'), {}],
  ['nothing', undefined, {}],
])('%s: credentials count only if they cannot be used', (_, error, metrics) => {
  const usage = newUsage()
  countCredentials(usage, error)
  expect(usageMetrics(usage)).toEqual(metrics)
})
