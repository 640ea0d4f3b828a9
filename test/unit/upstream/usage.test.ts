import { describe, expect, it } from 'vitest'
import { countExchange, newUsage, usageMetrics } from '../../../functions/upstream/usage.ts'

describe('the usage of the platform', () => {
  it.each([
    [200, 'Upstream2xx', 0],
    [299, 'Upstream2xx', 0],
    [300, 'Upstream3xx', 0],
    [399, 'Upstream3xx', 0],
    [400, 'Upstream4xx', 0],
    [429, 'Upstream429', 0],
    [499, 'Upstream4xx', 0],
    [500, 'Upstream5xx', 1],
    [undefined, 'UpstreamFailures', 1],
  ] as const)('counts an exchange with status %s as %s', (status, metric, fault) => {
    const usage = newUsage()
    countExchange(usage, Date.now() - 5, status)
    countExchange(usage, Date.now(), status)
    expect(usage).toMatchObject({ faults: [fault, fault], counts: { [metric]: 2 } })
    expect(usage.exchangesMs[0]).toBeGreaterThanOrEqual(5)
    expect(usage.exchangesMs[0]).toBeLessThan(5_000)
  })

  it('is divided into lines of 100 values, with the counts in the first', () => {
    const usage = newUsage()
    for (let index = 0; index < 201; index++) {
      usage.exchangesMs.push(index)
      usage.faults.push(-index)
    }
    usage.counts.Upstream2xx = 201
    const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)
    expect(usageMetrics(usage)).toEqual(
      [numbers(0, 100), numbers(100, 200), numbers(200, 201)].map((values, line) => ({
        UpstreamMs: values,
        UpstreamFault: values.map((value) => -value),
        ...(line === 0 && { Upstream2xx: 201 }),
      })),
    )
  })

  it('has one line without exchanges', () => {
    expect(usageMetrics(newUsage())).toEqual([{}])
  })
})
