import { Duration } from 'aws-cdk-lib'
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
import { functionsOf, type Section, type Watched } from './alarms.ts'
import { forEachEntity, ourMetric } from './metrics.ts'
import { savedQueries } from './saved-queries.ts'

export interface DashboardProps extends Watched {
  readonly alarms: Readonly<Record<Section, readonly Alarm[]>>
}

/** One page that answers an owner's questions in their order. */
export function createDashboard(scope: Construct, props: DashboardProps): Dashboard {
  return new Dashboard(scope, 'Dashboard', {
    dashboardName: props.configuration.name,
    defaultInterval: Duration.days(1),
    widgets: [
      ...section('Are my copies fresh and complete?', props.alarms.copies, copies(props)),
      ...section('Is the front door healthy?', props.alarms.door, door(props)),
      ...section('Is the platform healthy?', props.alarms.platform, platform(props)),
      ...section('What does it cost?', [], cost(props)),
    ],
  })
}

const rowWidth = 24
const period = Duration.minutes(5)
const metricAreas: readonly MetricArea[] = ['logistics', 'subscriptions', 'documents', 'syncs']

/** A question, the alarms that answer it with yes or no, and what there is to see. */
function section(question: string, alarms: readonly Alarm[], widgets: IWidget[]): IWidget[][] {
  const states = alarms.slice(0, maxAlarms)
  return [
    [new TextWidget({ markdown: `## ${question}`, width: rowWidth, height: 1 })],
    ...(states.length > 0
      ? [[new AlarmStatusWidget({ title: 'Alarms', alarms: [...states], width: rowWidth, height: 3 })]]
      : []),
    widgets,
  ]
}

/** An alarm widget shows 100 alarms at most (CloudWatch user guide, «Dashboard body structure and syntax»). */
const maxAlarms = 100

function copies({ configuration: { name }, sync }: Watched): IWidget[] {
  const quarter = Duration.minutes(15)
  return [
    graph('Age in seconds', [forEachEntity(name, 'SnapshotAgeSeconds', quarter)]),
    graph('Documents', [forEachEntity(name, 'SnapshotDocuments', quarter)]),
    graph('Duration of runs in seconds', [forEachEntity(name, 'RunSeconds', quarter)]),
    new LogQueryWidget({
      title: 'The last run of each entity, and its proof',
      logGroupNames: [sync.worker.lambda.logGroup.logGroupName],
      queryString: savedQueries['Last run of each entity'].text,
      width: rowWidth,
      height: 6,
    }),
  ]
}

function door({ configuration: { name }, api }: Watched): IWidget[] {
  return [
    graph('Calls', [...perArea(name, 'CallMs', { statistic: Stats.SAMPLE_COUNT })]),
    graph('Errors', [
      api.api.metricServerError({ period, statistic: Stats.SUM, label: '5xx that callers got' }),
      api.api.metricClientError({ period, statistic: Stats.SUM, label: '4xx that callers got' }),
      ...perArea(name, 'InternalErrors', { statistic: Stats.SUM, prefix: 'faults of ours, ' }),
    ]),
    graph('Latency in ms', [
      ...perArea(name, 'CallMs', { statistic: 'p50', prefix: 'p50 ' }),
      ...perArea(name, 'CallMs', { statistic: 'p99', prefix: 'p99 ' }),
    ]),
  ]
}

function platform({ configuration: { name } }: Watched): IWidget[] {
  const sum = (metric: MetricName, label: string) => ourMetric(name, metric, { period, label })
  return [
    graph('Answers', [
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
      ...perArea(name, 'UpstreamMs', { statistic: 'p50', prefix: 'p50 ' }),
      ...perArea(name, 'UpstreamMs', { statistic: 'p99', prefix: 'p99 ' }),
    ]),
  ]
}

function cost(watched: Watched): IWidget[] {
  const { api, sync, storage } = watched
  const hour = Duration.hours(1)
  const functions = functionsOf(watched)
  return [
    graph('Requests to the API, executions of the state machine', [
      api.api.metricCount({ period: hour, statistic: Stats.SUM, label: 'requests' }),
      sync.machine.metricStarted({ period: hour, statistic: Stats.SUM, label: 'executions' }),
    ]),
    graph(
      'Invocations',
      functions.map(({ node, lambda }) =>
        lambda.metricInvocations({ period: hour, statistic: Stats.SUM, label: node.id }),
      ),
    ),
    graph('GB-seconds', functions.map(gigabyteSeconds)),
    graph('Units of the table', [
      storage.table.metricConsumedReadCapacityUnits({ period: hour, label: 'read' }),
      storage.table.metricConsumedWriteCapacityUnits({ period: hour, label: 'written' }),
    ]),
  ]
}

function gigabyteSeconds({ node, lambda }: ServiceFunction, index: number): IMetric {
  const { memorySize = 128 } = lambda.node.defaultChild as CfnFunction
  return new MathExpression({
    label: node.id,
    expression: `duration${index} / 1000 * ${memorySize / 1024}`,
    usingMetrics: { [`duration${index}`]: lambda.metricDuration({ statistic: Stats.SUM }) },
    period: Duration.hours(1),
  })
}

function perArea(
  namespace: string,
  name: MetricName,
  { statistic, prefix = '' }: { statistic: string; prefix?: string },
): IMetric[] {
  return metricAreas.map((area) =>
    ourMetric(namespace, name, { period, statistic, dimension: { Area: area }, label: `${prefix}${area}` }),
  )
}

function graph(title: string, left: IMetric[]): GraphWidget {
  return new GraphWidget({ title, left, width: 8, height: 6 })
}
