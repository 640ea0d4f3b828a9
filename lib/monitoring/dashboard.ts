import { Aws, Duration } from 'aws-cdk-lib'
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  LogQueryWidget,
  MathExpression,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch'
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import type { MetricArea, MetricName } from '../../functions/runtime/metric-table.ts'
import type { ServiceFunction } from '../constructs/service-function.ts'
import { functionsOf, type Monitored, type RunbookSection } from './alarm.ts'
import { functionMetric, lambdaMetric, metricByEntity } from './metrics.ts'
import { savedQueries } from './saved-queries.ts'

export interface DashboardProps extends Monitored {
  readonly alarms: Readonly<Record<RunbookSection, readonly Alarm[]>>
}

/** One page for operators: four questions, each with its alarms and graphs. */
export function createDashboard(scope: Construct, props: DashboardProps): Dashboard {
  return new Dashboard(scope, 'Dashboard', {
    // The names of dashboards are unique in the account, not in the region.
    dashboardName: `${props.configuration.name}-${Aws.REGION}`,
    defaultInterval: Duration.days(1),
    widgets: [
      ...section('Are the snapshots fresh and complete?', props.alarms.snapshots, snapshotWidgets(props)),
      ...section('Is the API proxy healthy?', props.alarms.api, apiWidgets(props)),
      ...section('Is the platform healthy?', props.alarms.platform, platformWidgets(props)),
      ...section('What does it cost?', [], costWidgets(props)),
    ],
  })
}

const rowWidth = 24
const period = Duration.minutes(5)
const metricAreas: readonly MetricArea[] = ['logistics', 'subscriptions', 'documents', 'syncs']

function section(question: string, alarms: readonly Alarm[], widgets: IWidget[]): IWidget[][] {
  return [
    [new TextWidget({ markdown: `## ${question}`, width: rowWidth, height: 1 })],
    ...(alarms.length > 0
      ? [[new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: rowWidth, height: 3 })]]
      : []),
    widgets,
  ]
}

function snapshotWidgets({ configuration, sync, freshness }: Monitored): IWidget[] {
  const { name, entities } = configuration
  const quarterHour = Duration.minutes(15)
  return [
    graph('Documents', [metricByEntity(name, 'SnapshotDocuments', quarterHour)]),
    graph('Duration of runs in seconds', [metricByEntity(name, 'RunSeconds', quarterHour)]),
    graph('Runs', [
      functionMetric(name, 'RunsPublished', { period: quarterHour, label: 'published' }),
      functionMetric(name, 'RunsRefused', { period: quarterHour, label: 'refused' }),
      functionMetric(name, 'RunsFailed', { period: quarterHour, label: 'failed' }),
    ]),
    graph('Change sets', [
      functionMetric(name, 'ChangeSetsPublished', { period: quarterHour, label: 'published' }),
      functionMetric(name, 'ChangeSetsRefused', { period: quarterHour, label: 'refused' }),
      functionMetric(name, 'ChangeSetsFailed', { period: quarterHour, label: 'failed' }),
    ]),
    ...(entities.some(({ increments }) => increments) ? incrementWidgets(name) : []),
    graph('Tables', [
      functionMetric(name, 'TablesPublished', { period: quarterHour, label: 'published' }),
      functionMetric(name, 'TablesFailed', { period: quarterHour, label: 'failed' }),
      functionMetric(name, 'GlueFailures', { period: quarterHour, label: 'not in Glue' }),
    ]),
    logQuery('Stale snapshots', freshness),
    logQuery('Last run of each entity', sync.worker),
  ]
}

function incrementWidgets(name: string): IWidget[] {
  const quarterHour = Duration.minutes(15)
  return [
    graph('Increments', [
      functionMetric(name, 'IncrementsPublished', { period: quarterHour, label: 'succeeded' }),
      functionMetric(name, 'IncrementsFailed', { period: quarterHour, label: 'failed' }),
      functionMetric(name, 'StaleIncrements', { period: quarterHour, label: 'stale entities' }),
    ]),
    graph('Records of increments', [metricByEntity(name, 'IncrementRecords', quarterHour)]),
    graph('Missed by increments', [
      metricByEntity(name, 'MissedByIncrements', quarterHour),
      metricByEntity(name, 'InvisibleToIncrements', quarterHour),
    ]),
  ]
}

function logQuery(name: keyof typeof savedQueries, { logGroupName }: ServiceFunction): LogQueryWidget {
  return new LogQueryWidget({
    title: name,
    logGroupNames: [logGroupName],
    queryString: savedQueries[name].text,
    width: rowWidth,
    height: 6,
  })
}

function apiWidgets({ configuration: { name }, api }: Monitored): IWidget[] {
  return [
    graph('Calls', metricByArea(name, 'CallMs', { statistic: Stats.SAMPLE_COUNT })),
    graph('Errors', [
      api.api.metricServerError({ period, statistic: Stats.SUM, label: '5xx' }),
      api.api.metricClientError({ period, statistic: Stats.SUM, label: '4xx' }),
      ...metricByArea(name, 'InternalErrors', { statistic: Stats.SUM, prefix: 'internal errors, ' }),
    ]),
    graph('Latency in ms', [
      ...metricByArea(name, 'CallMs', { statistic: 'p50', prefix: 'p50 ' }),
      ...metricByArea(name, 'CallMs', { statistic: 'p99', prefix: 'p99 ' }),
    ]),
  ]
}

function platformWidgets({ configuration: { name } }: Monitored): IWidget[] {
  const sum = (metric: MetricName, label: string) => functionMetric(name, metric, { period, label })
  return [
    graph('Responses', [
      sum('Upstream2xx', '2xx'),
      sum('Upstream3xx', '3xx'),
      sum('Upstream4xx', '4xx'),
      sum('Upstream429', '429'),
      sum('Upstream5xx', '5xx'),
      sum('UpstreamFailures', 'none'),
    ]),
    graph('Credentials', [
      sum('CredentialsRejected', 'rejected'),
      sum('CredentialsNotSet', 'not set'),
      sum('CredentialsUnreadable', 'unreadable'),
    ]),
    graph('Latency in ms', [
      ...metricByArea(name, 'UpstreamMs', { statistic: 'p50', prefix: 'p50 ' }),
      ...metricByArea(name, 'UpstreamMs', { statistic: 'p99', prefix: 'p99 ' }),
    ]),
  ]
}

function costWidgets(monitored: Monitored): IWidget[] {
  const { api, sync, storage } = monitored
  const hour = Duration.hours(1)
  const functions = functionsOf(monitored)
  return [
    graph('Requests to the API, executions of the state machine', [
      api.api.metricCount({ period: hour, statistic: Stats.SUM, label: 'requests' }),
      sync.machine.metricStarted({ period: hour, statistic: Stats.SUM, label: 'executions' }),
    ]),
    graph(
      'Invocations',
      functions.map((each) =>
        lambdaMetric(each, 'Invocations', { period: hour, statistic: Stats.SUM, label: each.node.id }),
      ),
    ),
    graph('GB-seconds', functions.map(gigabyteSeconds)),
    graph('Capacity units of the table', [
      storage.table.metricConsumedReadCapacityUnits({ period: hour, label: 'read' }),
      storage.table.metricConsumedWriteCapacityUnits({ period: hour, label: 'written' }),
    ]),
  ]
}

function gigabyteSeconds(of: ServiceFunction, index: number): IMetric {
  const { memorySize = 128 } = of.lambda.node.defaultChild as CfnFunction
  return new MathExpression({
    label: of.node.id,
    expression: `duration${index} / 1000 * ${memorySize / 1024}`,
    usingMetrics: { [`duration${index}`]: lambdaMetric(of, 'Duration', { statistic: Stats.SUM }) },
    period: Duration.hours(1),
  })
}

function metricByArea(
  namespace: string,
  name: MetricName,
  { statistic, prefix = '' }: { statistic: string; prefix?: string },
): IMetric[] {
  return metricAreas.map((area) =>
    functionMetric(namespace, name, {
      period,
      statistic,
      dimension: { Area: area },
      label: `${prefix}${area}`,
    }),
  )
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 8, height: 6 })
}
