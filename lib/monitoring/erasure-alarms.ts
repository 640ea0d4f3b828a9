import { Duration } from 'aws-cdk-lib'
import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import type { AlarmDefinition } from './alarm.ts'
import { functionMetric } from './metrics.ts'

/** What could keep the promise of `eraseWithinDays` from being kept. */
export const erasureAlarms = (namespace: string): AlarmDefinition[] => [
  {
    name: 'Erasure waits',
    metric: functionMetric(namespace, 'ErasureWaiting', {
      period: Duration.days(1),
      statistic: Stats.MAXIMUM,
    }),
    // The task emits it once a day. If the task does not run, "Erasure missing" reports that.
    missing: TreatMissingData.IGNORE,
    reason: 'The published snapshot is never erased, however old it is.',
    summary:
      'At least one entity has published no snapshot for eraseWithinDays, so documents that were deleted since then are still stored.',
  },
  {
    name: 'Erasure incomplete',
    metric: functionMetric(namespace, 'ErasureIncomplete', {
      period: Duration.minutes(15),
      statistic: Stats.MAXIMUM,
    }),
    // If the check fails, "Freshness unknown" reports that.
    missing: TreatMissingData.IGNORE,
    reason: 'eraseWithinDays leaves one day for a daily task that fails.',
    summary: 'At least one entity has had no complete pass of erasure for two days.',
  },
  ...(
    [
      ['Snapshots', 'Erasures'],
      ['Tables', 'TableErasures'],
    ] as const
  ).map(
    ([of, metric]): AlarmDefinition => ({
      name: 'Erasure missing',
      of,
      metric: functionMetric(namespace, metric, { period: Duration.days(1), statistic: Stats.SUM }),
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      periods: [2, 2],
      missing: TreatMissingData.BREACHING,
      reason: 'The task runs once a day.',
      summary:
        'The daily task of eraseWithinDays has not ended for two days. After eraseWithinDays was set, this alarm resolves itself with the first task, within a day.',
    }),
  ),
]
