import { type Dimension, type MetricName, metricTable } from './metric-table.ts'
import { environment } from './settings.ts'

/** An undefined value is not reported. */
export type MetricValues = Readonly<Partial<Record<MetricName, number | readonly number[] | undefined>>>

/** Maximum number of values of a metric in one line. */
export const maxValues = 100

/**
 * Members of a log line that CloudWatch reads as metrics (CloudWatch user guide, "Specification: Embedded metric
 * format"). They are added to a line that is logged anyway, so that metrics need no request.
 */
export function metricFields(
  values: MetricValues,
  dimensions: Readonly<Partial<Record<Dimension, string>>>,
  now = Date.now(),
): Record<string, unknown> {
  const given = (Object.keys(values) as MetricName[]).filter((name) => values[name] !== undefined)
  if (given.length === 0) return {}
  const directives = Map.groupBy(given, (name) => JSON.stringify(metricTable[name].dimensions))
  return {
    _aws: {
      Timestamp: now,
      CloudWatchMetrics: [...directives.values()].map((names) => ({
        Namespace: process.env[environment.metricNamespace] ?? 'Longshore',
        Dimensions: metricTable[names[0] as MetricName].dimensions,
        Metrics: names.map((name) => ({ Name: name, Unit: metricTable[name].unit })),
      })),
    },
    ...dimensions,
    ...values,
  }
}
