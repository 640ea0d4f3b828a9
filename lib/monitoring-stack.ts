import { Aws, CfnCondition, Duration, Fn, Stack, type StackProps } from 'aws-cdk-lib'
import type { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch'
import { Alarm, ComparisonOperator, MathExpression, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { CfnMetricFilter, CfnQueryDefinition } from 'aws-cdk-lib/aws-logs'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import type { MetricName } from '../functions/runtime/metric-table.ts'
import type { Configuration } from './config.ts'
import { customerKey } from './constructs/customer-key.ts'
import { secretReference } from './constructs/secret-reference.ts'
import { ServiceFunction } from './constructs/service-function.ts'
import { alarmDescription, alarmId, alarmsOf, type Monitored, thresholdOf } from './monitoring/alarms.ts'
import { type LogSource, savedQueries } from './monitoring/saved-queries.ts'

export type MonitoringStackProps = StackProps & Omit<Monitored, 'freshness'>

/** What Lambda logs of an invocation that crashed or timed out (Lambda developer guide, "Telemetry API event schema"). */
const failedInvocation = '{ $.type = "platform.report" && $.record.status != "success" }'

/** The freshness check, alarms and their topic, and saved queries. */
export class MonitoringStack extends Stack {
  readonly alarmsTopic: Topic

  constructor(scope: Construct, id: string, props: MonitoringStackProps) {
    super(scope, id, props)
    const { configuration, api, sync } = props
    this.alarmsTopic = this.createTopic(configuration)
    const freshness = createLook(this, { ...props, topic: this.alarmsTopic })
    const functions = [...api.functions, sync.publisher, sync.worker, sync.compare, sync.tables, freshness]
    const condition = isAws(this, 'IsAws')
    this.createAlarms({ ...props, freshness }, condition)
    this.countFailures(configuration.name, functions, condition)
    this.saveQueries({ ...props, freshness }, functions, condition)
  }

  /** Without an OK action: a first deployment would send one email per alarm. */
  private createAlarms(monitored: Monitored, condition: CfnCondition): void {
    const action = new SnsAction(this.alarmsTopic)
    const parent = new Construct(this, 'Alarm')
    for (const row of alarmsOf(monitored)) {
      const [breaching, of] = row.periods ?? [1, 1]
      const alarm = new Alarm(parent, alarmId(row), {
        alarmName: `${monitored.configuration.name}-${alarmId(row)}`,
        alarmDescription: alarmDescription(row),
        metric: row.metric,
        threshold: thresholdOf(row),
        comparisonOperator: row.comparison ?? ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        datapointsToAlarm: breaching,
        evaluationPeriods: of,
        treatMissingData: row.missing ?? TreatMissingData.NOT_BREACHING,
      })
      if (!row.isSilent) alarm.addAlarmAction(action)
      // Emulators know no arithmetic.
      if (row.metric instanceof MathExpression)
        (alarm.node.defaultChild as CfnAlarm).cfnOptions.condition = condition
    }
  }

  /** A function that crashes reports nothing itself. */
  private countFailures(
    metricNamespace: string,
    functions: readonly ServiceFunction[],
    condition: CfnCondition,
  ): void {
    const metricName: MetricName = 'InternalErrors'
    for (const { node, logGroupName } of functions) {
      const filter = new CfnMetricFilter(this, `Failures-${node.id}`, {
        logGroupName,
        filterPattern: failedInvocation,
        metricTransformations: [{ metricNamespace, metricName, metricValue: '1' }],
      })
      filter.cfnOptions.condition = condition
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

  private saveQueries(
    { configuration, api, sync, freshness }: Monitored,
    functions: readonly ServiceFunction[],
    condition: CfnCondition,
  ): void {
    const { worker, compare, tables } = sync
    const groups = {
      'API functions': api.functions,
      worker: [worker],
      compare: [compare],
      tables: [tables],
      freshness: [freshness],
      'all functions': functions,
      'access log': [api.accessLog],
    } satisfies Record<LogSource, unknown>
    for (const [title, { source, text }] of Object.entries(savedQueries)) {
      const query = new CfnQueryDefinition(this, `Query-${title}`, {
        name: `${configuration.name}/${title}`,
        logGroupNames: groups[source].map(({ logGroupName }) => logGroupName),
        queryString: text,
      })
      query.cfnOptions.condition = condition
    }
  }
}

/**
 * False on an emulator. Emulators refuse a stack with a resource type that they do not know; they use the account
 * 000000000000, or do not evaluate conditions.
 */
const isAws = (scope: Construct, id: string): CfnCondition =>
  new CfnCondition(scope, id, {
    expression: Fn.conditionAnd(
      Fn.conditionNot(Fn.conditionEquals(Aws.ACCOUNT_ID, '000000000000')),
      Fn.conditionOr(
        ...['aws', 'aws-cn', 'aws-us-gov', 'aws-eusc'].map((partition) =>
          Fn.conditionEquals(Aws.PARTITION, partition),
        ),
      ),
    ),
  })

/** The small objects that show problems. */
const lookedAt = [
  'snapshots/*/latest.json',
  'snapshots/*/manifest.json',
  'snapshots/*/schema-changes.json',
  'changes/*/latest.json',
  'changes/*/manifest.json',
  'changes/*/refused.json',
  'changes/*/unpublished.json',
  'iceberg/*/latest.json',
  'iceberg/*/failed.json',
  'iceberg/*.metadata.json',
] as const

/** The function that finds problems, alerts people and continues runs that wait, and the rule that invokes it. */
function createLook(
  scope: Construct,
  { configuration, storage, sync, topic }: Omit<Monitored, 'api' | 'freshness'> & { readonly topic: Topic },
): ServiceFunction {
  const check = new ServiceFunction(scope, 'Freshness', {
    folder: 'look',
    description: 'Looks for problems, and reports those that opened or were resolved',
    configuration,
    memory: {
      mebibytes: 512,
      reason: 'It reads a few hundred small items and objects. More memory only shortens a cold start.',
    },
    timeLimit: {
      seconds: 60,
      reason:
        'It reads some items and objects per entity, of 24 entities at a time, and waits 22 s at most for receivers of alerts.',
    },
  })
  check.usesTable(storage.table, ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'DeleteItem'])
  check.wakesExecutions(sync.machine)
  check.publishesTo(topic)
  check.publishesEvents()
  check.readsSecrets(configuration.alerts.map(({ url }) => secretReference(check, url)))
  // The next check follows soon, and an alarm reports missing checks.
  check.lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(5) })
  for (const objects of lookedAt) check.usesBucket(storage.bucket, objects, ['GetObject'])
  new Rule(scope, 'FreshnessSchedule', {
    description: 'Looks for problems',
    // A problem is published at most seven minutes after it begins.
    schedule: Schedule.rate(Duration.minutes(5)),
    targets: [new LambdaFunction(check.lambda, { retryAttempts: 0 })],
  })
  return check
}
