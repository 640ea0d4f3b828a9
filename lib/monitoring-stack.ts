import { Duration, Stack, type StackProps } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Construct } from 'constructs'
import type { ApiStack } from './api-stack.ts'
import type { Configuration } from './config.ts'
import { customerKey } from './customer-key.ts'
import type { SyncStack } from './sync-stack.ts'

export interface MonitoringStackProps extends StackProps {
  readonly configuration: Configuration
  readonly api: ApiStack
  readonly sync: SyncStack
}

interface AlarmRow {
  readonly id: string
  readonly metric: IMetric
  /** The value of one period that is too much. */
  readonly threshold: number
  /** What has happened and what to do. */
  readonly description: string
}

/** Who is told, and of what. */
export class MonitoringStack extends Stack {
  constructor(scope: Construct, id: string, props: MonitoringStackProps) {
    super(scope, id, props)
    const topic = this.createTopic(props.configuration)
    for (const { id, ...row } of alarms(props)) {
      new Alarm(this, id, {
        ...row,
        alarmDescription: row.description,
        evaluationPeriods: 1,
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        // These metrics have values only when something happens, so silence is good.
        treatMissingData: TreatMissingData.NOT_BREACHING,
      }).addAlarmAction(new SnsAction(topic))
    }
  }

  private createTopic(configuration: Configuration): Topic {
    const masterKey = customerKey(this, configuration)
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
    const { alarmEmail } = configuration
    if (alarmEmail) topic.addSubscription(new EmailSubscription(alarmEmail))
    return topic
  }
}

function alarms({ api, sync }: MonitoringStackProps): AlarmRow[] {
  const period = Duration.minutes(5)
  const sum = { period, statistic: 'Sum' }
  return [
    {
      id: 'SyncFailed',
      metric: sync.machine.metricFailed(sum),
      threshold: 1,
      description:
        'A sync failed or was refused; the snapshot before it still stands. Its reason is in GET /syncs/{entity} and in the execution.',
    },
    {
      id: 'SyncTimedOut',
      metric: sync.machine.metricTimedOut(sum),
      threshold: 1,
      description: 'A sync ran for a day and was stopped. Look at its execution, then start it again.',
    },
    {
      id: 'SyncNotStarted',
      metric: sync.missedStarts.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' }),
      threshold: 1,
      description:
        'A schedule could not start a sync. The message in the dead-letter queue says why; start the sync by hand, then delete the message.',
    },
    ...[...api.functions, sync.worker].map((each) => ({
      id: `${each.node.id}Errors`,
      metric: each.lambda.metricErrors(sum),
      threshold: 1,
      description: `The function ${each.node.id} crashed or ran out of time, which it should never do. Its log says where.`,
    })),
    {
      id: 'ApiServerErrors',
      metric: api.api.metricServerError(sum),
      threshold: 5,
      description:
        'Callers got 5xx. 503 means that the credentials are missing or unreadable, 502 and 504 that the platform is; the access log tells the routes.',
    },
  ]
}
