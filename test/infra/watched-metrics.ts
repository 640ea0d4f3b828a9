import { expect } from 'vitest'
import { metricTable } from '../../functions/runtime/metric-table.ts'

// biome-ignore lint/suspicious/noExplicitAny: a template has no types
export type Json = any

interface Named {
  readonly namespace: string
  readonly name: string
  readonly dimensions: readonly string[]
}

/** The metrics of AWS services that are watched, with their dimensions (user guide of each service). */
const ofAws: Readonly<Record<string, { names: readonly string[]; dimensions: readonly string[] }>> = {
  'AWS/ApiGateway': { names: ['Count', '4xx', '5xx'], dimensions: ['ApiId'] },
  'AWS/DynamoDB': {
    names: [
      'ReadThrottleEvents',
      'WriteThrottleEvents',
      'ConsumedReadCapacityUnits',
      'ConsumedWriteCapacityUnits',
    ],
    dimensions: ['TableName'],
  },
  'AWS/Lambda': { names: ['Invocations', 'Errors', 'Throttles', 'Duration'], dimensions: ['FunctionName'] },
  'AWS/SQS': { names: ['ApproximateNumberOfMessagesVisible'], dimensions: ['QueueName'] },
  'AWS/States': {
    names: ['ExecutionsStarted', 'ExecutionsFailed', 'ExecutionsTimedOut'],
    dimensions: ['StateMachineArn'],
  },
}

/** Whether a metric is emitted by the functions of the deployment `Shop`, or by an AWS service. */
export function isKnown({ namespace, name, dimensions }: Named): boolean {
  const service = ofAws[namespace]
  if (service)
    return service.names.includes(name) && service.dimensions.join() === dimensions.toSorted().join()
  const own = (metricTable as Record<string, { dimensions: readonly (readonly string[])[] } | undefined>)[
    name
  ]
  return namespace === 'Shop' && (own?.dimensions.some((set) => set.join() === dimensions.join()) ?? false)
}

/** The metrics of the properties of alarms. */
export function metricsOfAlarms(alarms: readonly Json[]): Named[] {
  return alarms.flatMap(({ Namespace, MetricName, Dimensions = [], Metrics = [] }) => [
    ...(MetricName ? [named(Namespace, MetricName, Dimensions)] : []),
    ...Metrics.filter(({ MetricStat }: Json) => MetricStat).map(({ MetricStat: { Metric } }: Json) =>
      named(Metric.Namespace, Metric.MetricName, Metric.Dimensions ?? []),
    ),
  ])
}

const named = (namespace: string, name: string, dimensions: { Name: string }[]): Named => ({
  namespace,
  name,
  dimensions: dimensions.map(({ Name }) => Name),
})

/** The metrics of the widgets of a dashboard. */
export function metricsOfDashboard(widgets: readonly Json[]): Named[] {
  return widgets
    .flatMap(({ properties }) => properties.metrics ?? [])
    .flatMap((row: Json[]): Named[] => {
      const texts = row.filter((part) => typeof part === 'string')
      const [namespace, name = '', ...rest] = texts
      if (namespace) return [{ namespace, name, dimensions: rest.filter((_, index) => index % 2 === 0) }]
      const { expression } = row[0]
      const [, ofSearch, dimension = '', metric = ''] =
        /^SEARCH\('\{"([^"]+)",(\w+)\} MetricName="(\w+)"', 'Maximum', \d+\)$/.exec(expression) ?? []
      if (ofSearch) return [{ namespace: ofSearch, name: metric, dimensions: [dimension] }]
      // Arithmetic over metrics in other rows.
      expect(expression).toMatch(/^duration\d+ \/ 1000 \* [\d.]+$/)
      return []
    })
}
