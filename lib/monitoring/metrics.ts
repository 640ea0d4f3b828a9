import type { Duration } from 'aws-cdk-lib'
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { type MetricArea, type MetricName, metricTable } from '../../functions/runtime/metric-table.ts'

export interface MetricChoice {
  readonly period: Duration
  /** If it is not said: the sum of counts, the maximum of everything else. */
  readonly statistic?: string
  /** Without a dimension it is the sum over all. */
  readonly dimension?: { readonly Area: MetricArea } | { readonly Entity: string }
  readonly label?: string
}

/** A metric that the functions of this deployment emit. `namespace` is the configuration's `name`. */
export function ourMetric(namespace: string, name: MetricName, choice: MetricChoice): Metric {
  const { period, dimension, label } = choice
  return new Metric({
    namespace,
    metricName: name,
    period,
    statistic: choice.statistic ?? (metricTable[name].unit === 'Count' ? Stats.SUM : Stats.MAXIMUM),
    ...(dimension && { dimensionsMap: { ...dimension } }),
    ...(label && { label }),
  })
}

/** One line for each entity, however many there are: CloudWatch finds them when the dashboard is opened. */
export function forEachEntity(namespace: string, name: MetricName, period: Duration): MathExpression {
  const search = `{"${namespace}",Entity} MetricName="${name}"`
  return new MathExpression({
    // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudWatch's own placeholder
    label: "${PROP('Dim.Entity')}",
    expression: `SEARCH('${search}', 'Maximum', ${period.toSeconds()})`,
    usingMetrics: {},
    period,
  })
}
