import { afterEach, describe, expect, test, vi } from 'vitest'
import { log } from '../../../functions/runtime/log.ts'
import { metricFields } from '../../../functions/runtime/metrics.ts'
import { UpstreamFailure } from '../../../functions/upstream/errors.ts'
import { countCredentials, countExchange, newUsage, usageMetrics } from '../../../functions/upstream/usage.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

describe('the metrics of a log line', () => {
  test('are grouped by their dimension sets', () => {
    vi.stubEnv('METRIC_NAMESPACE', 'Shop')
    expect(
      metricFields({ CallMs: 12, Upstream429: 2, UpstreamMs: [5, 6] }, { Area: 'documents' }, 1),
    ).toEqual({
      _aws: {
        Timestamp: 1,
        CloudWatchMetrics: [
          {
            Namespace: 'Shop',
            Dimensions: [[], ['Area']],
            Metrics: [
              { Name: 'CallMs', Unit: 'Milliseconds' },
              { Name: 'UpstreamMs', Unit: 'Milliseconds' },
            ],
          },
          { Namespace: 'Shop', Dimensions: [[]], Metrics: [{ Name: 'Upstream429', Unit: 'Count' }] },
        ],
      },
      Area: 'documents',
      CallMs: 12,
      Upstream429: 2,
      UpstreamMs: [5, 6],
    })
  })

  test('are absent without values', () => {
    expect(metricFields({}, { Area: 'documents' })).toEqual({})
  })
})

describe('a log line', () => {
  test('is written to stdout where the console of the Lambda runtime would wrap it', () => {
    const toConsole = vi.spyOn(console, 'log').mockReturnValue()
    const toOutput = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    vi.stubEnv('AWS_LAMBDA_LOG_FORMAT', 'JSON')
    log('INFO', 'request', { status: 200 })
    expect(toConsole).not.toHaveBeenCalled()
    const [line] = toOutput.mock.calls[0] ?? []
    expect(line).toMatch(/^\{.*\}\n$/)
    expect(JSON.parse(String(line))).toMatchObject({ level: 'INFO', message: 'request', status: 200 })
  })
})

describe('the usage of the upstream client', () => {
  test.each([
    [200, 'Upstream2xx', 0],
    [206, 'Upstream2xx', 0],
    [302, 'Upstream3xx', 0],
    [404, 'Upstream4xx', 0],
    [429, 'Upstream429', 0],
    [500, 'Upstream5xx', 1],
    [503, 'Upstream5xx', 1],
    [undefined, 'UpstreamFailures', 1],
  ])('counts a status of %s as %s', (status, name, fault) => {
    const usage = newUsage()
    countExchange(usage, Date.now() - 40, status)
    const [metrics, ...more] = usageMetrics(usage)
    expect(metrics).toEqual({ UpstreamMs: [expect.any(Number)], UpstreamFault: [fault], [name]: 1 })
    expect(usage.exchangesMs[0]).toBeGreaterThanOrEqual(40)
    expect(more).toEqual([])
  })

  test('is split into lines of 100 values, with each count in one of them', () => {
    const usage = newUsage()
    for (let index = 0; index < 250; index++) countExchange(usage, Date.now(), 200)
    const all = usageMetrics(usage)
    expect(all.map(({ UpstreamMs = [] }) => [UpstreamMs].flat().length)).toEqual([100, 100, 50])
    expect(all.map(({ Upstream2xx }) => Upstream2xx)).toEqual([250, undefined, undefined])
  })

  test('counts only errors of credentials as such', () => {
    const usage = newUsage()
    countCredentials(usage, new UpstreamFailure('timeout'))
    expect(usageMetrics(usage)).toEqual([{}])
  })
})
