import { Duration } from 'aws-cdk-lib'
import {
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import type { MetricName } from '../../functions/runtime/metric-table.ts'
import type { ApiStack } from '../api-stack.ts'
import type { Configuration } from '../config.ts'
import type { ServiceFunction } from '../constructs/service-function.ts'
import type { StorageStack } from '../storage-stack.ts'
import type { SyncStack } from '../sync-stack.ts'

/** An alarm: its logical id and the end of its name is `name` without spaces. */
export interface AlarmDefinition {
  /** The heading of its section in docs/runbook.md. */
  readonly name: string
  readonly metric: IMetric
  /** 1 if absent. */
  readonly threshold?: number
  /** Why the threshold has this value. */
  readonly reason: string
  /** What happened, for the reader of the email. */
  readonly summary: string
  /** Greater than or equal if absent. */
  readonly comparison?: ComparisonOperator
  /** How many of the last periods must breach the threshold; 1 of 1 if absent. */
  readonly periods?: readonly [breaching: number, of: number]
  /** What missing data means; not breaching if absent, since most metrics have data only when something happens. */
  readonly missing?: TreatMissingData
  /** True if the topic has been told already. */
  readonly isSilent?: true
}

/** What the alarms watch. */
export interface Monitored {
  readonly configuration: Configuration
  readonly storage: StorageStack
  readonly api: ApiStack
  readonly sync: SyncStack
  readonly freshness: ServiceFunction
}

const period = Duration.minutes(5)

/** What the freshness check cannot see or cannot report. Everything else that needs a person is a problem. */
export function alarmsOf(monitored: Monitored): readonly AlarmDefinition[] {
  const { configuration, api, sync, freshness } = monitored
  const own = (metricName: MetricName, statistic: string = Stats.SUM) =>
    new Metric({ namespace: configuration.name, metricName, period, statistic })
  return [
    {
      name: 'Problems opened',
      metric: own('ProblemsOpened'),
      reason: 'Each further problem raises the alarm again.',
      summary: 'Problems opened. `longshore status` shows them. The topic has received a message about them.',
      isSilent: true,
    },
    {
      name: 'Freshness unknown',
      metric: lambdaMetric(freshness, 'Invocations', Duration.hours(1)),
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      missing: TreatMissingData.BREACHING,
      reason: 'The freshness check runs twelve times an hour.',
      summary:
        'Nothing looks for problems. After the first deployment this alarm resolves itself within 15 minutes.',
    },
    {
      name: 'Function errors',
      metric: functionErrors(monitored, own('InternalErrors')),
      reason:
        'Expected errors get a response. Each of these is a bug, a missing permission or a lack of capacity.',
      summary: 'A function failed, reached its time limit, was throttled, or responded with 500.',
    },
    {
      name: 'Server errors',
      metric: api.api.metricServerError({ period, statistic: Stats.SUM }),
      threshold: 5,
      periods: [2, 3],
      reason: 'Callers retry single errors, and short platform outages resolve themselves.',
      summary: 'Callers receive 5xx responses from Longshore, from the platform or from API Gateway.',
    },
    {
      name: 'Sync not started',
      metric: new MathExpression({
        expression: 'FILL(starts, 0) + FILL(events, 0)',
        usingMetrics: {
          starts: sync.startDeadLetters.metricApproximateNumberOfMessagesVisible({
            period,
            statistic: Stats.MAXIMUM,
          }),
          events: own('EventsNotSent'),
        },
        label: 'Starts and events that were not delivered',
        period,
      }),
      reason: 'Both are retried before they count.',
      summary: 'A schedule could not start a sync, or an event could not be sent.',
    },
    {
      name: 'Credentials rejected',
      metric: own('CredentialsRejected'),
      reason: 'Only an operator can fix that.',
      summary: 'The credentials of a proxied call were rejected, are not set, or cannot be read.',
    },
    {
      name: 'Platform errors',
      metric: own('UpstreamFault', Stats.AVERAGE),
      threshold: 0.2,
      periods: [3, 3],
      reason: 'Retries cannot make up for one failure in five exchanges over 15 minutes.',
      summary: 'The platform fails proxied calls: 5xx, or no complete response. The log has each reason.',
    },
    {
      name: 'Alert not delivered',
      metric: own('AlertFailures'),
      periods: [2, 3],
      reason: 'The next look sends the message again after a single failure.',
      summary:
        'A message about problems could not be delivered. It is sent again. The problem alert-failed has the reason.',
    },
  ]
}

/**
 * Crashes and time-outs are counted from the logs of all functions. An alarm is charged for each of its metrics: if a
 * function of the API is throttled, callers receive 5xx; if the freshness check is, nothing looks for problems.
 */
function functionErrors({ sync }: Monitored, failed: IMetric): MathExpression {
  const functions = [sync.publisher, sync.worker, sync.compare, sync.tables]
  const throttles = functions.map(
    (of, index) => [`throttled${index}`, lambdaMetric(of, 'Throttles')] as const,
  )
  return new MathExpression({
    expression: ['failed', ...throttles.map(([id]) => id)].map((id) => `FILL(${id}, 0)`).join(' + '),
    usingMetrics: { failed, ...Object.fromEntries(throttles) },
    label: 'Invocations that failed or were throttled',
    period,
  })
}

const lambdaMetric = (
  { functionName }: ServiceFunction,
  metricName: 'Invocations' | 'Throttles',
  of = period,
): Metric =>
  new Metric({
    namespace: 'AWS/Lambda',
    metricName,
    dimensionsMap: { FunctionName: functionName },
    period: of,
    statistic: Stats.SUM,
  })

/** `FunctionErrors`. */
export const alarmId = ({ name }: AlarmDefinition): string =>
  name.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase())

export const thresholdOf = ({ threshold = 1 }: AlarmDefinition): number => threshold

export function alarmDescription(alarm: AlarmDefinition): string {
  const { name, summary, reason } = alarm
  // The anchor that Markdown renderers make of the heading.
  const anchor = name.toLowerCase().replaceAll(' ', '-')
  return `${summary} What to do: docs/runbook.md#${anchor}. Threshold: ${thresholdOf(alarm)}. ${reason}`
}
