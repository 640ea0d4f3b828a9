import type { Duration } from 'aws-cdk-lib'
import { MathExpression, Metric, type MetricProps, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { type MetricArea, type MetricName, metricTable } from '../../functions/runtime/metric-table.ts'
import type { ServiceFunction } from '../constructs/service-function.ts'

/** Of a metric of AWS. */
type AwsMetricOptions = Pick<MetricProps, 'period' | 'statistic' | 'label'>

export interface MetricOptions {
  readonly period: Duration
  /** Default: the sum for counts, the maximum for everything else. */
  readonly statistic?: string
  /** Without a dimension: the sum over all. */
  readonly dimension?: { readonly Area: MetricArea } | { readonly Entity: string }
  readonly label?: string
}

/** A metric that the functions of this deployment emit. `namespace` is the configuration's `name`. */
export function functionMetric(namespace: string, name: MetricName, options: MetricOptions): Metric {
  const { period, dimension, label } = options
  return new Metric({
    namespace,
    metricName: name,
    period,
    statistic: options.statistic ?? (metricTable[name].unit === 'Count' ? Stats.SUM : Stats.MAXIMUM),
    ...(dimension && { dimensionsMap: { ...dimension } }),
    ...(label && { label }),
  })
}

/** A metric that Lambda emits for a function. */
export function lambdaMetric(
  { functionName }: Pick<ServiceFunction, 'functionName'>,
  metricName: 'Invocations' | 'Errors' | 'Throttles' | 'Duration',
  options: AwsMetricOptions,
): Metric {
  return new Metric({
    namespace: 'AWS/Lambda',
    metricName,
    dimensionsMap: { FunctionName: functionName },
    ...options,
  })
}

/** One line for each entity. CloudWatch searches for the metrics when the dashboard is opened. */
export function metricByEntity(namespace: string, name: MetricName, period: Duration): MathExpression {
  const search = `{"${namespace}",Entity} MetricName="${name}"`
  return new MathExpression({
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a CloudWatch placeholder
    label: "${PROP('Dim.Entity')}",
    expression: `SEARCH('${search}', 'Maximum', ${period.toSeconds()})`,
    usingMetrics: {},
    period,
  })
}
