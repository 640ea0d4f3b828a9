import { Duration } from 'aws-cdk-lib'
import { ComparisonOperator, type IMetric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import type { ApiStack } from '../api-stack.ts'
import type { Configuration } from '../config.ts'
import type { ServiceFunction } from '../constructs/service-function.ts'
import type { StorageStack } from '../storage-stack.ts'
import type { SyncStack } from '../sync-stack.ts'
import { ourMetric } from './metrics.ts'
import { maxGapSeconds } from './schedule-gap.ts'

/** The questions of the dashboard, from top to bottom. */
export type Section = 'copies' | 'door' | 'platform'

export interface AlarmRow {
  /** Its heading in docs/runbook.md. */
  readonly name: string
  /** The function or entity that it is about, where each has one. */
  readonly of?: string
  readonly section: Section
  readonly metric: IMetric
  readonly threshold: number
  /** Why it is this threshold. */
  readonly reason: string
  /** What has happened, for whoever reads the mail. */
  readonly says: string
  readonly comparison?: ComparisonOperator
  /** So many periods of the last so many must be too much; 1 of 1 if absent. */
  readonly periods?: readonly [breaching: number, of: number]
  /** What silence means; that nothing happens, if absent. */
  readonly missing?: TreatMissingData
}

export interface Watched {
  readonly configuration: Configuration
  readonly storage: StorageStack
  readonly api: ApiStack
  readonly sync: SyncStack
  readonly freshness: ServiceFunction
}

/** Every alarm there is. A row makes the alarm, its place on the dashboard and its section of the runbook. */
export function alarmRows(watched: Watched): AlarmRow[] {
  return [...copyAlarms(watched), ...proxyAlarms(watched), ...platformAlarms(watched)]
}

/** The anchor of an alarm's section, as Markdown renderers make it of the heading. */
export function runbookLink({ name }: Pick<AlarmRow, 'name'>): string {
  return `docs/runbook.md#${name.toLowerCase().replaceAll(' ', '-')}`
}

export function functionsOf({ api, sync, freshness }: Watched): readonly ServiceFunction[] {
  return [...api.functions, sync.worker, freshness]
}

const fiveMinutes = Duration.minutes(5)

function copyAlarms(watched: Watched): AlarmRow[] {
  const { configuration, sync, storage, freshness } = watched
  const { name: namespace, entities } = configuration
  const section = 'copies' as const
  return [
    {
      name: 'Freshness unknown',
      section,
      metric: freshness.lambda.metricInvocations({ period: Duration.hours(1), statistic: Stats.SUM }),
      threshold: 1,
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      // Here silence is the very thing to hear of.
      missing: TreatMissingData.BREACHING,
      reason: 'It runs four times an hour.',
      says: 'Nothing looks after the age of the copies. Right after the first deployment it ends by itself within a quarter of an hour.',
    },
    {
      name: 'Sync failed',
      section,
      metric: sync.machine.metricFailed({ period: fiveMinutes, statistic: Stats.SUM }),
      threshold: 1,
      reason: 'A run has tried again for a long time before it fails.',
      says: 'A sync failed, or was refused (then an alarm of its own says so). The snapshot before it still stands.',
    },
    {
      name: 'Sync timed out',
      section,
      metric: sync.machine.metricTimedOut({ period: fiveMinutes, statistic: Stats.SUM }),
      threshold: 1,
      reason: 'A run gives up by its own budgets long before a day is over.',
      says: 'A sync ran for a day and was stopped. The snapshot before it still stands.',
    },
    {
      name: 'Snapshot refused',
      section,
      metric: ourMetric(namespace, 'RunsRefused', { period: fiveMinutes }),
      threshold: 1,
      reason: 'A guard refuses only what a person should look at.',
      says: 'A whole snapshot was not published because it is empty or much smaller than the one before.',
    },
    {
      name: 'Sync not started',
      section,
      metric: sync.startDeadLetters.metricApproximateNumberOfMessagesVisible({
        period: fiveMinutes,
        statistic: Stats.MAXIMUM,
      }),
      threshold: 1,
      reason: 'Each message in the dead-letter queue is a sync that did not take place.',
      says: 'A schedule could not start a sync; the message in the dead-letter queue says why.',
    },
    ...(['Read', 'Write'] as const).map((kind) => ({
      name: 'Table throttled',
      of: kind,
      section,
      metric: storage.table.metric(`${kind}ThrottleEvents`, { period: fiveMinutes, statistic: Stats.SUM }),
      threshold: 10,
      periods: [2, 3] as const,
      reason: 'The table grows with its load, and the client tries again; more than a moment is too long.',
      says: 'DynamoDB throttles the state of syncs and the answers to requests with an idempotency key.',
    })),
    ...entities.filter(({ enabled }) => enabled).flatMap((entity) => tooOld(namespace, entity)),
  ]
}

/** Twice the longest time between two runs: one run may fail, and the next one make up for it. */
function tooOld(namespace: string, entity: Configuration['entities'][number]): AlarmRow[] {
  const gapSeconds = maxGapSeconds(entity.schedule)
  // A schedule that runs once, or never again, promises no age.
  if (gapSeconds === undefined) return []
  return [
    {
      name: 'Snapshot too old',
      of: entity.name,
      section: 'copies',
      // The age is measured by the freshness check, not concluded from silence: an alarm looks back over a week at
      // most (CloudWatch API reference, PutMetricAlarm, Period), and schedules may be rarer.
      metric: ourMetric(namespace, 'SnapshotAgeSeconds', {
        period: Duration.minutes(15),
        dimension: { Entity: entity.name },
      }),
      threshold: 2 * gapSeconds,
      // While the check is silent an old copy stays old; that it is silent is an alarm of its own.
      missing: TreatMissingData.IGNORE,
      reason: `Twice the longest time between two runs of ${entity.schedule}.`,
      says: `${entity.name} was not published for twice as long as its schedule allows, or its schedule never fires.`,
    },
  ]
}

function proxyAlarms(watched: Watched): AlarmRow[] {
  const { configuration, api } = watched
  const { name: namespace, upstream } = configuration
  const section = 'door'
  return [
    {
      name: 'Server errors',
      section,
      metric: api.api.metricServerError({ period: fiveMinutes, statistic: Stats.SUM }),
      threshold: 5,
      periods: [2, 3],
      reason:
        'Single ones are repeated by their callers, and a short fault of the platform is over by itself.',
      says: 'Callers go on getting 5xx, from us, from the platform through us, or from API Gateway.',
    },
    {
      name: 'Internal errors',
      section,
      metric: ourMetric(namespace, 'InternalErrors', { period: fiveMinutes }),
      threshold: 1,
      reason: 'A fault of ours should never happen.',
      says: 'Callers got 500: a fault of ours.',
    },
    {
      name: 'Slow calls',
      section,
      metric: ourMetric(namespace, 'CallMs', { period: fiveMinutes, statistic: 'p99' }),
      threshold: Math.round(upstream.timeoutSeconds * 800),
      periods: [3, 3],
      reason: `80% of the ${upstream.timeoutSeconds} s (upstream.timeoutSeconds) after which a call is given up.`,
      says: 'One call in a hundred is about to be given up, or is given up already.',
    },
    ...functionsOf(watched).flatMap(functionAlarms),
  ]
}

function functionAlarms({ node, lambda }: ServiceFunction): AlarmRow[] {
  const row = { of: node.id, section: 'door' } as const
  const limitMs = lambda.timeout?.toMilliseconds() ?? 0
  return [
    {
      ...row,
      name: 'Function errors',
      metric: lambda.metricErrors({ period: fiveMinutes, statistic: Stats.SUM }),
      threshold: 1,
      reason:
        'Whatever can be foreseen is answered; an invocation that fails crashed, or ran out of time or memory.',
      says: `The function ${node.id} crashed.`,
    },
    {
      ...row,
      name: 'Function throttled',
      metric: lambda.metricThrottles({ period: fiveMinutes, statistic: Stats.SUM }),
      threshold: 1,
      periods: [2, 3],
      reason: 'A burst is tried again by the state machine; callers of the API get an error for each.',
      says: `Lambda does not run the function ${node.id} as often as it is called.`,
    },
    {
      ...row,
      name: 'Function timed out',
      metric: lambda.metricDuration({ period: fiveMinutes, statistic: Stats.MAXIMUM }),
      threshold: Math.floor(limitMs * 0.99),
      reason: `Its limit is ${limitMs / 1000} s, and it ends by itself well before.`,
      says: `The function ${node.id} was ended by its time limit.`,
    },
  ]
}

function platformAlarms({ configuration: { name: namespace } }: Watched): AlarmRow[] {
  const section = 'platform'
  return [
    {
      name: 'Platform errors',
      section,
      metric: ourMetric(namespace, 'UpstreamFault', { period: fiveMinutes, statistic: Stats.AVERAGE }),
      threshold: 0.2,
      periods: [3, 3],
      reason: 'One exchange in five is more than repeats make up for, and a quarter of an hour is no blip.',
      says: 'The platform fails: 5xx, or no whole answer.',
    },
    {
      name: 'Platform throttles',
      section,
      metric: ourMetric(namespace, 'Upstream429', { period: fiveMinutes }),
      threshold: 20,
      periods: [3, 3],
      reason: 'Some are a normal answer to a burst; a quarter of an hour of them means that we ask too much.',
      says: 'The platform goes on answering 429.',
    },
    {
      name: 'Credentials rejected',
      section,
      metric: ourMetric(namespace, 'CredentialsRejected', { period: fiveMinutes }),
      threshold: 1,
      reason: 'The newest keys were rejected; nothing but a person mends that.',
      says: 'The platform answers 401 or 403 to the newest keys that there are.',
    },
    {
      name: 'Credentials not set',
      section,
      metric: ourMetric(namespace, 'CredentialsNotSet', { period: fiveMinutes }),
      threshold: 1,
      reason: 'Somebody calls already, and nothing works until the keys are there.',
      says: 'The secret still holds the placeholder of its creation.',
    },
    {
      name: 'Credentials unreadable',
      section,
      metric: ourMetric(namespace, 'CredentialsUnreadable', { period: fiveMinutes }),
      threshold: 1,
      periods: [2, 3],
      reason: 'A moment of Secrets Manager is over by itself; a secret of the wrong form is not.',
      says: 'The secret cannot be read, or does not hold what it should.',
    },
  ]
}
