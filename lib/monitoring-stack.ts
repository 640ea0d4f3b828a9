import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { Configuration } from './config.ts'
import { customerKey } from './constructs/customer-key.ts'
import {
  type AlarmDefinition,
  alarmDescription,
  alarmId,
  type Monitored,
  type RunbookSection,
  thresholdOf,
} from './monitoring/alarm.ts'
import { apiAlarms } from './monitoring/api-alarms.ts'
import { AwsPartition } from './monitoring/aws-partition.ts'
import { createDashboard } from './monitoring/dashboard.ts'
import { createFreshnessCheck } from './monitoring/freshness-check.ts'
import { platformAlarms } from './monitoring/platform-alarms.ts'
import { type LogSource, savedQueries } from './monitoring/saved-queries.ts'
import { snapshotAlarms } from './monitoring/snapshot-alarms.ts'

export type MonitoringStackProps = StackProps & Omit<Monitored, 'freshness'>

/** The freshness check, alarms and their topic, the dashboard and saved queries. */
export class MonitoringStack extends Stack {
  readonly alarmsTopic: Topic
  private readonly awsPartition = new AwsPartition(this, 'Partitions')

  constructor(scope: Construct, id: string, props: MonitoringStackProps) {
    super(scope, id, props)
    const { configuration, storage, api, sync } = props
    const freshness = createFreshnessCheck(this, { configuration, storage })
    const monitored: Monitored = { configuration, storage, api, sync, freshness }
    this.alarmsTopic = this.createTopic(configuration)
    const alarms = this.createAlarms(monitored, this.alarmsTopic)
    const { dashboardName } = createDashboard(this, { ...monitored, alarms })
    this.saveQueries(monitored)

    const console = `https://${this.region}.${this.awsPartition.consoleDomain}`
    new CfnOutput(this, 'DashboardUrl', {
      value: `${console}/cloudwatch/home?region=${this.region}#dashboards/dashboard/${dashboardName}`,
    })
  }

  /** Without an OK action: a first deployment would send one email per alarm. */
  private createAlarms(monitored: Monitored, topic: Topic): Record<RunbookSection, Alarm[]> {
    const { name } = monitored.configuration
    const action = new SnsAction(topic)
    const parent = new Construct(this, 'Alarm')
    const create = (row: AlarmDefinition) => {
      const [breaching, of] = row.periods ?? [1, 1]
      const alarm = new Alarm(parent, alarmId(row), {
        alarmName: `${name}-${alarmId(row)}`,
        alarmDescription: alarmDescription(row),
        metric: row.metric,
        threshold: thresholdOf(row),
        comparisonOperator: row.comparison ?? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        datapointsToAlarm: breaching,
        evaluationPeriods: of,
        treatMissingData: row.missing ?? TreatMissingData.NOT_BREACHING,
      })
      alarm.addAlarmAction(action)
      return alarm
    }
    return {
      snapshots: snapshotAlarms(monitored).map(create),
      api: apiAlarms(monitored).map(create),
      platform: platformAlarms(monitored).map(create),
    }
  }

  private createTopic(configuration: Configuration): Topic {
    const masterKey = customerKey(this, configuration)
    const { alarmEmail } = configuration
    const topic = new Topic(this, 'Alarms', { enforceSSL: true, ...(masterKey && { masterKey }) })
    // A topic policy replaces the default policy, which would let the alarms of this account publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsOfThisAccount',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    )
    if (alarmEmail) topic.addSubscription(new EmailSubscription(alarmEmail))
    return topic
  }

  private saveQueries({ configuration, api, sync, freshness }: Monitored): void {
    const { publisher, worker, compare, tables } = sync
    const groups = {
      'API functions': api.functions,
      worker: [worker],
      compare: [compare],
      tables: [tables],
      freshness: [freshness],
      'all functions': [...api.functions, publisher, worker, compare, tables, freshness],
      'access log': [api.accessLog],
    } satisfies Record<LogSource, unknown>
    for (const [title, { source, text }] of Object.entries(savedQueries)) {
      const query = new CfnQueryDefinition(this, `Query-${title}`, {
        name: `${configuration.name}/${title}`,
        logGroupNames: groups[source].map(({ logGroupName }) => logGroupName),
        queryString: text,
      })
      query.cfnOptions.condition = this.awsPartition.isAws
    }
  }
}
