import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib'
import { EventBus } from 'aws-cdk-lib/aws-events'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { DefinitionBody, LogLevel, StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import { type Configuration, settingsOf } from './config.ts'
import { customerKey } from './constructs/customer-key.ts'
import { ServiceFunction } from './constructs/service-function.ts'
import type { StorageStack } from './storage-stack.ts'
import { syncLoop } from './sync/state-machine.ts'

export interface SyncStackProps extends StackProps {
  readonly configuration: Configuration
  readonly storage: StorageStack
}

/** The proven copy: a worker, the state machine that calls it again and again, and when that starts. */
export class SyncStack extends Stack {
  readonly worker: ServiceFunction
  readonly machine: StateMachine
  /** Starts that EventBridge Scheduler could not make. */
  readonly startDeadLetters: Queue
  private readonly key: IKey | undefined

  constructor(scope: Construct, id: string, props: SyncStackProps) {
    super(scope, id, props)
    this.key = customerKey(this, props.configuration)
    this.worker = this.createWorker(props)
    this.machine = this.createMachine()
    this.startDeadLetters = new Queue(this, 'MissedStarts', {
      ...(this.key
        ? { encryption: QueueEncryption.KMS, encryptionMasterKey: this.key }
        : { encryption: QueueEncryption.SQS_MANAGED }),
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    })
    this.createSchedules(props.configuration.entities)

    new CfnOutput(this, 'SyncStateMachineArn', { value: this.machine.stateMachineArn })
  }

  private createWorker({ configuration, storage }: SyncStackProps): ServiceFunction {
    const worker = new ServiceFunction(this, 'Worker', {
      folder: 'worker',
      description: 'Scrolls an entity for one step and hands over',
      settings: settingsOf(configuration),
      key: this.key,
      memory: {
        mebibytes: 1024,
        reason: 'Two pages at most are held at once; it buys the processor time that compresses them.',
      },
      timeLimit: {
        seconds: 900,
        reason: 'The most that Lambda gives. A step hands over after stepSeconds, or 60 s before this.',
      },
    })
    worker.usesTable(storage.table, ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'])
    worker.usesBucket(storage.bucket, 'snapshots/', ['GetObject', 'PutObject', 'DeleteObject'])
    // What lists a table's pages is moved, and never removed.
    worker.usesBucket(storage.bucket, 'tables/', ['GetObject', 'PutObject'])
    worker.usesSecret('documents', storage.credentials.documents)
    worker.publishesEventsTo(EventBus.fromEventBusName(this, 'Events', 'default'))
    return worker
  }

  private createMachine(): StateMachine {
    const role = new Role(this, 'MachineRole', { assumedBy: this.serviceOfThisAccount('states') })
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [this.worker.lambda.functionArn],
      }),
    )
    return new StateMachine(this, 'Machine', {
      definitionBody: DefinitionBody.fromString(JSON.stringify(syncLoop)),
      definitionSubstitutions: { WorkerArn: this.worker.lambda.functionArn },
      role,
      logs: {
        destination: new LogGroup(this, 'MachineLogs', {
          // Step Functions cannot write to longer names' groups once the account has many (its user guide,
          // «CloudWatch Logs resource policy size»); names under this prefix do not count.
          logGroupName: `/aws/vendedlogs/states/${this.stackName}`,
          retention: RetentionDays.ONE_MONTH,
          removalPolicy: RemovalPolicy.DESTROY,
          ...(this.key && { encryptionKey: this.key }),
        }),
        level: LogLevel.ALL,
        // Inputs and answers stay out: a platform's error message may quote a document.
        includeExecutionData: false,
      },
    })
  }

  /** One for each enabled entity, and nothing else for each, so that a stack holds hundreds. */
  private createSchedules(entities: Configuration['entities']): void {
    const role = new Role(this, 'SchedulerRole', { assumedBy: this.serviceOfThisAccount('scheduler') })
    role.addToPolicy(
      new PolicyStatement({ actions: ['states:StartExecution'], resources: [this.machine.stateMachineArn] }),
    )
    role.addToPolicy(
      new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [this.startDeadLetters.queueArn] }),
    )
    if (this.key)
      role.addToPolicy(
        new PolicyStatement({
          actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
          resources: [this.key.keyArn],
          conditions: { StringEquals: { 'kms:ViaService': `sqs.${this.region}.${this.urlSuffix}` } },
        }),
      )
    const permissions = role.node.findChild('DefaultPolicy')
    const schedules = new Construct(this, 'Schedules')
    for (const { name, schedule, timezone } of entities.filter(({ enabled }) => enabled)) {
      new CfnSchedule(schedules, `Sync-${name}`, {
        description: `Syncs ${name}`,
        scheduleExpression: schedule,
        scheduleExpressionTimezone: timezone,
        flexibleTimeWindow: { mode: 'OFF' },
        target: {
          arn: this.machine.stateMachineArn,
          roleArn: role.roleArn,
          input: JSON.stringify({ entity: name }),
          // A start that comes an hour late is none: the next one is due, or a person looks into it.
          retryPolicy: { maximumRetryAttempts: 2, maximumEventAgeInSeconds: 3600 },
          deadLetterConfig: { arn: this.startDeadLetters.queueArn },
        },
      }).node.addDependency(permissions)
    }
  }

  /** Only for this account's own resources, so that nobody can use the service as a confused deputy. */
  private serviceOfThisAccount(service: 'states' | 'scheduler'): ServicePrincipal {
    return new ServicePrincipal(`${service}.amazonaws.com`, {
      conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
    })
  }
}
