import { Stats } from 'aws-cdk-lib/aws-cloudwatch'
import type { ServiceFunction } from '../constructs/service-function.ts'
import { type AlarmDefinition, fiveMinutes, functionsOf, type Monitored } from './alarm.ts'
import { functionMetric, lambdaMetric } from './metrics.ts'

export function apiAlarms(monitored: Monitored): AlarmDefinition[] {
  const { configuration, api } = monitored
  const { name: namespace, upstream } = configuration
  return [
    {
      name: 'Server errors',
      metric: api.api.metricServerError({ period: fiveMinutes, statistic: Stats.SUM }),
      threshold: 5,
      periods: [2, 3],
      reason: 'Callers retry single errors, and short platform outages resolve themselves.',
      summary: 'Callers receive 5xx responses from Longshore, from the platform or from API Gateway.',
    },
    {
      name: 'Internal errors',
      metric: functionMetric(namespace, 'InternalErrors', { period: fiveMinutes }),
      reason: 'An internal error should never happen.',
      summary: 'Callers received 500 because of an internal error.',
    },
    {
      name: 'Slow calls',
      metric: functionMetric(namespace, 'CallMs', { period: fiveMinutes, statistic: 'p99' }),
      threshold: Math.round(upstream.timeoutSeconds * 800),
      periods: [3, 3],
      reason: `80% of upstream.timeoutSeconds (${upstream.timeoutSeconds} s), after which a call is given up.`,
      summary: 'One call in a hundred takes nearly as long as its time limit.',
    },
    ...functionsOf(monitored).flatMap(functionAlarms),
  ]
}

function functionAlarms(of: ServiceFunction): AlarmDefinition[] {
  const { node, lambda } = of
  const limitMs = lambda.timeout?.toMilliseconds() ?? 0
  return [
    {
      name: 'Function errors',
      of: node.id,
      metric: lambdaMetric(of, 'Errors', { period: fiveMinutes, statistic: Stats.SUM }),
      reason:
        'Expected errors get a response. A failed invocation means a crash, a timeout or lack of memory.',
      summary: `The function ${node.id} crashed.`,
    },
    {
      name: 'Function throttled',
      of: node.id,
      metric: lambdaMetric(of, 'Throttles', { period: fiveMinutes, statistic: Stats.SUM }),
      periods: [2, 3],
      reason: 'The state machine retries a short burst; callers of the API receive an error for each.',
      summary: `Lambda throttles the function ${node.id}: no concurrency is left for it.`,
    },
    {
      name: 'Function timed out',
      of: node.id,
      metric: lambdaMetric(of, 'Duration', { period: fiveMinutes, statistic: Stats.MAXIMUM }),
      threshold: Math.floor(limitMs * 0.99),
      reason: `The function's time limit is ${limitMs / 1000} s, and it stops itself earlier.`,
      summary: `The function ${node.id} reached its time limit.`,
    },
  ]
}
