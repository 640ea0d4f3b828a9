import { environment } from './environment.ts'
import type { MetricName } from './metric-table.ts'

/** An undefined value is not reported. */
export type MetricValues = Readonly<Partial<Record<MetricName, number | readonly number[] | undefined>>>

/**
 * Members of a log line that CloudWatch reads as metrics (CloudWatch user guide, "Specification: Embedded metric
 * format"). They are added to a line that is logged anyway, so that metrics need no request.
 */
export function metricFields(values: MetricValues, now = Date.now()): Record<string, unknown> {
  const given = (Object.keys(values) as MetricName[]).filter((name) => values[name] !== undefined)
  if (given.length === 0) return {}
  return {
    _aws: {
      Timestamp: now,
      CloudWatchMetrics: [
        {
          Namespace: process.env[environment.metricNamespace] ?? 'Longshore',
          Dimensions: [[]],
          Metrics: given.map((name) => ({ Name: name, Unit: 'Count' })),
        },
      ],
    },
    ...values,
  }
}
