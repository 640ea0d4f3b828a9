import { Duration } from 'aws-cdk-lib'
import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { type AlarmDefinition, fiveMinutes, type Monitored } from './alarm.ts'
import { erasureAlarms } from './erasure-alarms.ts'
import { functionMetric, lambdaMetric } from './metrics.ts'

export function snapshotAlarms(monitored: Monitored): AlarmDefinition[] {
  const { configuration, sync, freshness } = monitored
  const namespace = configuration.name
  return [
    {
      name: 'Snapshot stale',
      // One metric for all entities: a metric and an alarm for each would cost more than everything else. The freshness
      // check knows each schedule; an alarm could look back over a week at most.
      metric: functionMetric(namespace, 'StaleSnapshots', {
        period: Duration.minutes(15),
        statistic: Stats.MAXIMUM,
      }),
      // While the check does not run, a stale snapshot stays stale. "Freshness unknown" reports that case.
      missing: TreatMissingData.IGNORE,
      reason: 'A snapshot is stale after twice the longest time between two runs of its schedule.',
      summary:
        'The snapshot of at least one entity is older than twice the longest interval of its schedule.',
    },
    {
      name: 'Freshness unknown',
      metric: lambdaMetric(freshness, 'Invocations', { period: Duration.hours(1), statistic: Stats.SUM }),
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      missing: TreatMissingData.BREACHING,
      reason: 'The freshness check runs twelve times an hour.',
      summary:
        'The age of the snapshots is not checked. After the first deployment this alarm resolves itself within 15 minutes.',
    },
    {
      name: 'Sync failed',
      metric: sync.machine.metricFailed({ period: fiveMinutes, statistic: Stats.SUM }),
      reason: 'A run retries within its budgets before it fails. A run that is repeated does not count.',
      summary: 'A sync failed or was refused. The published snapshot has not changed.',
    },
    {
      name: 'Sync timed out',
      metric: sync.machine.metricTimedOut({ period: fiveMinutes, statistic: Stats.SUM }),
      reason:
        'A run exhausts its retry budgets long before a day has passed, and is repeated three times at most.',
      summary: 'A sync was stopped after four days. The published snapshot has not changed.',
    },
    {
      name: 'Snapshot refused',
      metric: functionMetric(namespace, 'RunsRefused', { period: fiveMinutes }),
      reason: 'A guard refuses only what an operator must decide.',
      summary:
        'A complete snapshot was not published, because it is empty or much smaller than the published one.',
    },
    {
      name: 'Sync not started',
      metric: sync.startDeadLetters.metricApproximateNumberOfMessagesVisible({
        period: fiveMinutes,
        statistic: Stats.MAXIMUM,
      }),
      reason: 'Each message in the dead-letter queue is a sync that was not started.',
      summary: 'A schedule could not start a sync. The message in the dead-letter queue contains the reason.',
    },
    {
      name: 'Changes refused',
      metric: functionMetric(namespace, 'ChangeSetsRefused', { period: fiveMinutes }),
      reason: 'The guard refuses only what an operator must decide.',
      summary: 'A change set was not published, because it deletes more than maxDeletePercent of its base.',
    },
    {
      name: 'Changes failed',
      metric: functionMetric(namespace, 'ChangeSetsFailed', { period: fiveMinutes }),
      reason: 'A comparison is retried before it fails.',
      summary:
        'A published snapshot could not be compared with the previous one. The snapshot is not affected. ' +
        'If this persists: npx --no-install longshore changes ENTITY --reset.',
    },
    ...(configuration.entities.some(({ increments }) => increments) ? [incrementsAlarm(namespace)] : []),
    {
      name: 'Table failed',
      metric: functionMetric(namespace, 'TablesFailed', { period: fiveMinutes }),
      reason: 'Each part of a table is retried before the table fails.',
      summary:
        'The Iceberg table of a published snapshot could not be built, and stays as it was. The snapshot is not affected. ' +
        'The next publication builds the whole table again.',
    },
    ...(configuration.athena && configuration.entities.some(({ columns }) => columns)
      ? [glueAlarm(namespace)]
      : []),
    ...(configuration.eraseWithinDays === undefined ? [] : erasureAlarms(namespace)),
    ...(configuration.alerts.length > 0 ? [alertsAlarm(namespace)] : []),
    ...tableAlarms(monitored),
  ]
}

const glueAlarm = (namespace: string): AlarmDefinition => ({
  name: 'Table not in Glue',
  metric: functionMetric(namespace, 'TablesNotInGlue', { period: fiveMinutes }),
  reason: 'The next publication repairs a failure that passes.',
  summary:
    'Two publications in a row could not update the Iceberg table of an entity in Glue. Athena finds an earlier table or none. ' +
    'Readers without a catalog are not affected.',
})

const incrementsAlarm = (namespace: string): AlarmDefinition => ({
  name: 'Increments stale',
  metric: functionMetric(namespace, 'StaleIncrements', {
    period: Duration.minutes(15),
    statistic: Stats.MAXIMUM,
  }),
  // If the check fails, "Freshness unknown" reports that.
  missing: TreatMissingData.IGNORE,
  reason: 'A single increment may fail: the next one covers its window.',
  summary:
    'The last increment window of at least one entity is older than three intervals of its schedule, and at least half an hour old.',
})

const alertsAlarm = (namespace: string): AlarmDefinition => ({
  name: 'Alert not delivered',
  metric: functionMetric(namespace, 'AlertFailures', { period: fiveMinutes }),
  periods: [2, 3],
  reason: 'The next look sends the message again after a single failure.',
  summary:
    'A message about problems could not be delivered to a receiver in `alerts`. It is sent again. The problem alert-failed has the reason.',
})

function tableAlarms({ storage }: Monitored): AlarmDefinition[] {
  return (['Read', 'Write'] as const).map((kind) => ({
    name: 'Table throttled',
    of: kind,
    metric: storage.table.metric(`${kind}ThrottleEvents`, { period: fiveMinutes, statistic: Stats.SUM }),
    threshold: 10,
    periods: [2, 3],
    reason: 'An on-demand table adapts to its load and clients retry, so only sustained throttling matters.',
    summary: 'DynamoDB throttles the table with the state of syncs and the stored idempotent responses.',
  }))
}
