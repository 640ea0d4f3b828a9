import { afterEach, describe, expect, test, vi } from 'vitest'
import { log } from '../../../functions/runtime/log.ts'
import { metricFields } from '../../../functions/runtime/metrics.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

describe('the metrics of a log line', () => {
  test('are sums over the deployment, without dimensions', () => {
    vi.stubEnv('METRIC_NAMESPACE', 'Shop')
    expect(metricFields({ InternalErrors: 1, UpstreamFault: [0, 1], EventsNotSent: undefined }, 1)).toEqual({
      _aws: {
        Timestamp: 1,
        CloudWatchMetrics: [
          {
            Namespace: 'Shop',
            Dimensions: [[]],
            Metrics: [
              { Name: 'InternalErrors', Unit: 'Count' },
              { Name: 'UpstreamFault', Unit: 'Count' },
            ],
          },
        ],
      },
      InternalErrors: 1,
      UpstreamFault: [0, 1],
    })
  })

  test('are absent without values', () => expect(metricFields({})).toEqual({}))
})

test('a log line is written to stdout where the console of the Lambda runtime would wrap it', () => {
  const toConsole = vi.spyOn(console, 'log').mockReturnValue()
  const toOutput = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  vi.stubEnv('AWS_LAMBDA_LOG_FORMAT', 'JSON')
  log('INFO', 'request', { status: 200 })
  expect(toConsole).not.toHaveBeenCalled()
  const [line] = toOutput.mock.calls[0] ?? []
  expect(line).toMatch(/^\{.*\}\n$/)
  expect(JSON.parse(String(line))).toMatchObject({ level: 'INFO', message: 'request', status: 200 })
})
