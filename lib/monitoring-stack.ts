import { CfnCondition, CfnOutput, Fn, Stack, type StackProps } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { ApiStack } from './api-stack.ts'
import type { Configuration } from './config.ts'
import { customerKey } from './constructs/customer-key.ts'
import { type AlarmRow, alarmRows, runbookLink, type Section, type Watched } from './monitoring/alarms.ts'
import { createDashboard } from './monitoring/dashboard.ts'
import { createFreshnessCheck } from './monitoring/freshness-check.ts'
import { type LogSource, savedQueries } from './monitoring/saved-queries.ts'
import type { StorageStack } from './storage-stack.ts'
import type { SyncStack } from './sync-stack.ts'

export interface MonitoringStackProps extends StackProps {
  readonly configuration: Configuration
  readonly storage: StorageStack
  readonly api: ApiStack
  readonly sync: SyncStack
}

/** Who is told, and of what; and where to look then. */
export class MonitoringStack extends Stack {
  constructor(scope: Construct, id: string, props: MonitoringStackProps) {
    super(scope, id, props)
    const key = customerKey(this, props.configuration)
    const { configuration, storage, api, sync } = props
    const freshness = createFreshnessCheck(this, { configuration, storage, key })
    const watched: Watched = { configuration, storage, api, sync, freshness }
    const alarms = this.createAlarms(watched, this.createTopic(configuration, key))
    const { dashboardName } = createDashboard(this, { ...watched, alarms })
    this.saveQueries(watched)

    new CfnOutput(this, 'DashboardUrl', {
      value: `https://${this.region}.console.aws.amazon.com/cloudwatch/home?region=${this.region}#dashboards/dashboard/${dashboardName}`,
    })
  }

  /** Nobody is told when an alarm ends: a first deployment would send as many mails as there are alarms. */
  private createAlarms(watched: Watched, topic: Topic): Record<Section, Alarm[]> {
    const { name } = watched.configuration
    const alarms: Record<Section, Alarm[]> = { copies: [], door: [], platform: [] }
    const action = new SnsAction(topic)
    const parent = new Construct(this, 'Watch')
    for (const row of alarmRows(watched)) {
      const [breaching, of] = row.periods ?? [1, 1]
      const alarm = new Alarm(parent, alarmId(row), {
        alarmName: `${name}-${alarmId(row)}`,
        alarmDescription: describe(row),
        metric: row.metric,
        threshold: row.threshold,
        comparisonOperator: row.comparison ?? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        datapointsToAlarm: breaching,
        evaluationPeriods: of,
        // Most metrics have values only when something happens, so silence is good.
        treatMissingData: row.missing ?? TreatMissingData.NOT_BREACHING,
      })
      alarm.addAlarmAction(action)
      alarms[row.section].push(alarm)
    }
    return alarms
  }

  private createTopic({ alarmEmail }: Configuration, masterKey: IKey | undefined): Topic {
    const topic = new Topic(this, 'Alarms', { enforceSSL: true, ...(masterKey && { masterKey }) })
    // A policy of our own takes the place of the default one, by which CloudWatch could publish.
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

  private saveQueries({ configuration, api, sync, freshness }: Watched): void {
    const door = api.functions.map(({ lambda }) => lambda.logGroup)
    const worker = [sync.worker.lambda.logGroup]
    const groups = {
      'front door': door,
      worker,
      'all functions': [...door, ...worker, freshness.lambda.logGroup],
      'access log': [api.accessLog],
    } satisfies Record<LogSource, unknown>
    // Emulators refuse a stack with a type of resource that they do not know. Their account is this one, or their
    // conditions know neither account nor partition.
    const onAws = new CfnCondition(this, 'OnAws', {
      expression: Fn.conditionAnd(
        Fn.conditionNot(Fn.conditionEquals(this.account, '000000000000')),
        Fn.conditionOr(...partitions.map((partition) => Fn.conditionEquals(this.partition, partition))),
      ),
    })
    for (const [title, { source, text }] of Object.entries(savedQueries)) {
      const query = new CfnQueryDefinition(this, `Query-${title}`, {
        name: `${configuration.name}/${title}`,
        logGroupNames: groups[source].map(({ logGroupName }) => logGroupName),
        queryString: text,
      })
      query.cfnOptions.condition = onAws
    }
  }
}

const partitions = ['aws', 'aws-cn', 'aws-us-gov', 'aws-eusc']

/** `SnapshotTooOld-CL`. */
function alarmId({ name, of }: AlarmRow): string {
  const id = name.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase())
  return of === undefined ? id : `${id}-${of}`
}

function describe(row: AlarmRow): string {
  return `${row.says} What to do: ${runbookLink(row)}. Why at ${row.threshold}: ${row.reason}`
}
