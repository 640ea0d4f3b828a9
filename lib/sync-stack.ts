import { ArnFormat, CfnOutput, Duration, Size, Stack, type StackProps } from 'aws-cdk-lib'
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { DefinitionBody, LogLevel, StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import { tableDatabase } from '../functions/runtime/settings-schema/glue-names.ts'
import type { Configuration } from './config.ts'
import { customerKey } from './constructs/customer-key.ts'
import { createLogGroup } from './constructs/log-group.ts'
import { ServiceFunction } from './constructs/service-function.ts'
import type { StorageStack } from './storage-stack.ts'
import { Schedules } from './sync/schedules.ts'
import { syncStateMachine } from './sync/state-machine.ts'

export interface SyncStackProps extends StackProps {
  readonly configuration: Configuration
  readonly storage: StorageStack
}

/** Of a function that works on a whole snapshot. */
const oneProcessor = {
  mebibytes: 1769,
  reason: 'One full processor (AWS Lambda developer guide, "Configure Lambda function memory").',
}

/** Readers follow them, and only the publisher moves them. */
const pointers = ['snapshots/*/latest.json', 'changes/*/latest.json']

/** What is proposed of change sets. Nobody follows it. */
const proposals = ['changes/*.ndjson.gz', 'changes/*/proposal-*.json']

/** The functions of a sync, the state machine that invokes them, and the schedules that start it. */
export class SyncStack extends Stack {
  readonly publisher: ServiceFunction
  readonly worker: ServiceFunction
  readonly compare: ServiceFunction
  readonly tables: ServiceFunction
  readonly machine: StateMachine
  /** Starts that EventBridge Scheduler could not deliver. */
  readonly startDeadLetters: Queue
  private readonly key: IKey | undefined

  constructor(scope: Construct, id: string, props: SyncStackProps) {
    super(scope, id, props)
    this.key = customerKey(this, props.configuration)
    this.publisher = this.createPublisher(props)
    this.worker = this.createWorker(props)
    this.compare = this.createCompare(props)
    this.tables = this.createTables(props)
    if (props.configuration.eraseWithinDays !== undefined) this.eraseDaily(props.storage)
    this.machine = this.createMachine(props.configuration)
    this.startDeadLetters = new Queue(this, 'StartDeadLetters', {
      ...(this.key
        ? { encryption: QueueEncryption.KMS, encryptionMasterKey: this.key }
        : { encryption: QueueEncryption.SQS_MANAGED }),
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    })
    this.createSchedules(props.configuration.entities)

    new CfnOutput(this, 'SyncStateMachineArn', { value: this.machine.stateMachineArn })
  }

  private createPublisher({ configuration, storage }: SyncStackProps): ServiceFunction {
    const publisher = new ServiceFunction(this, 'Publisher', {
      folder: 'publisher',
      hasFixedName: true,
      description: 'Checks stored snapshots and change sets, and publishes them',
      configuration,
      memory: oneProcessor,
      timeLimit: {
        seconds: 900,
        reason: "Lambda's maximum, for a publication. A check responds within 5 minutes and is continued.",
      },
    })
    publisher.usesTable(storage.table, ['GetItem', 'Query'])
    publisher.usesBucket(storage.bucket, 'snapshots/', ['GetObject'])
    publisher.usesBucket(storage.bucket, 'changes/', ['GetObject'])
    const results = ['manifest.json', 'refused.json', 'evidence.json', 'check-*']
    publisher.writesObjects(storage.bucket, [
      ...pointers,
      ...results.map((name) => `snapshots/*/${name}`),
      'changes/*/manifest.json',
    ])
    // The lists of pages and parts are replaced, never deleted.
    publisher.usesBucket(storage.bucket, 'tables/', ['GetObject', 'PutObject'])
    return publisher
  }

  private createWorker({ configuration, storage }: SyncStackProps): ServiceFunction {
    const worker = new ServiceFunction(this, 'Worker', {
      folder: 'worker',
      description: 'Scrolls an entity for one step, then hands off',
      configuration,
      memory: {
        mebibytes: 1024,
        reason: 'At most two pages per scroll are in memory. The processor time pays for compression.',
      },
      timeLimit: {
        seconds: 900,
        reason: "Lambda's maximum. A step hands off after stepSeconds, or 60 s before this limit.",
      },
      callsPlatform: true,
    })
    worker.usesTable(storage.table, ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query'])
    worker.usesPublisher(this.publisher)
    worker.usesBucket(storage.bucket, 'snapshots/', ['GetObject', 'DeleteObject'])
    worker.writesObjects(storage.bucket, ['snapshots/*.ndjson.gz'], 'new')
    worker.neverDeletes(storage.bucket, pointers)
    worker.usesSecret('documents', storage.credentialsOf('documents'))
    // The tip of the change sets: its snapshot is kept.
    worker.usesBucket(storage.bucket, 'changes/', ['GetObject'])
    if (configuration.entities.some(({ increments }) => increments)) {
      worker.writesObjects(storage.bucket, proposals, 'new')
      // The next increment covers the window of one that crashed or waited. Lambda would repeat it for six hours.
      worker.lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.seconds(60) })
    }
    worker.publishesEvents()
    return worker
  }

  private createCompare({ configuration, storage }: SyncStackProps): ServiceFunction {
    const compare = new ServiceFunction(this, 'Compare', {
      folder: 'compare',
      description: 'Compares a published snapshot with the previous one and proposes the change set',
      configuration,
      memory: oneProcessor,
      timeLimit: {
        seconds: 900,
        reason: "Lambda's maximum. A comparison that takes longer stops a minute before it.",
      },
      // Lambda's maximum, for an index entry per document of both snapshots and the base of each document that changed.
      temporaryStorage: Size.gibibytes(10),
    })
    compare.usesBucket(storage.bucket, 'snapshots/', ['GetObject'])
    compare.usesBucket(storage.bucket, 'changes/', ['GetObject', 'DeleteObject'])
    compare.writesObjects(storage.bucket, proposals, 'new')
    compare.writesObjects(storage.bucket, ['changes/*/refused.json', 'changes/*/unpublished.json'])
    compare.neverDeletes(storage.bucket, pointers)
    compare.usesPublisher(this.publisher)
    compare.publishesEvents()
    return compare
  }

  private createTables({ configuration, storage }: SyncStackProps): ServiceFunction {
    const tables = new ServiceFunction(this, 'Tables', {
      folder: 'tables',
      hasFixedName: true,
      description: 'Builds the Iceberg table of a published snapshot',
      configuration,
      memory: oneProcessor,
      timeLimit: {
        seconds: 900,
        reason:
          "Lambda's maximum. A chunk takes about a minute. If documents repeat, one invocation reads the ids of all documents.",
      },
      // For an entry per document, if documents of the snapshot repeat.
      temporaryStorage: Size.gibibytes(4),
    })
    tables.usesBucket(storage.bucket, 'snapshots/', ['GetObject'])
    // Schema reports and their changes.
    tables.usesBucket(storage.bucket, 'snapshots/*/schema', ['PutObject'])
    tables.usesBucket(storage.bucket, 'iceberg/', ['GetObject', 'PutObject', 'DeleteObject'])
    if (configuration.athena) tables.usesGlueDatabase(tableDatabase(configuration.name))
    tables.publishesEvents()
    return tables
  }

  /** Nothing else may delete versions of objects. */
  private eraseDaily({ bucket, table }: StorageStack): void {
    const { compare, tables } = this
    // The last complete pass over each entity is stored with the entity.
    for (const task of [compare, tables]) task.usesTable(table, ['BatchGetItem', 'UpdateItem'])
    compare.erasesVersions(bucket, 'snapshots/')
    compare.erasesVersions(bucket, 'changes/')
    tables.erasesVersions(bucket, 'iceberg/')
    const event = RuleTargetInput.fromObject({ task: 'erase' })
    new Rule(this, 'EraseSchedule', {
      description: 'Erases content that is no longer published',
      schedule: Schedule.rate(Duration.days(1)),
      targets: [compare, tables].map(({ lambda }) => new LambdaFunction(lambda, { event })),
    })
  }

  private createMachine(configuration: Configuration): StateMachine {
    const role = new Role(this, 'MachineRole', { assumedBy: this.servicePrincipal('states') })
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [this.worker, this.compare, this.tables].map(({ lambda }) => lambda.functionArn),
      }),
    )
    const machine = new StateMachine(this, 'Machine', {
      tracingEnabled: configuration.tracing,
      definitionBody: DefinitionBody.fromString(JSON.stringify(syncStateMachine)),
      definitionSubstitutions: {
        WorkerArn: this.worker.lambda.functionArn,
        CompareArn: this.compare.lambda.functionArn,
        TablesArn: this.tables.lambda.functionArn,
        InvokeAndAwaitToken: this.formatArn({
          service: 'states',
          region: '',
          account: '',
          resource: 'lambda',
          resourceName: 'invoke.waitForTaskToken',
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      },
      role,
      logs: {
        destination: createLogGroup(this, 'MachineLogs', {
          configuration,
          // Log groups with this prefix do not count towards the size limit of the account's resource policy for
          // CloudWatch Logs (Step Functions developer guide, "Logging using CloudWatch Logs").
          name: `/aws/vendedlogs/states/${this.stackName}`,
        }),
        level: LogLevel.ALL,
        // Inputs and results may quote a document in an error message of the platform.
        includeExecutionData: false,
      },
    })
    // Apart from the policy of the worker's role, which has to exist before the worker, and so before the machine.
    new Policy(this, 'WorkerRoleWakes', {
      roles: [this.worker.role],
      statements: [
        new PolicyStatement({ actions: ['states:SendTaskSuccess'], resources: [machine.stateMachineArn] }),
      ],
    })
    return machine
  }

  private createSchedules(entities: Configuration['entities']): void {
    const role = new Role(this, 'SchedulerRole', { assumedBy: this.servicePrincipal('scheduler') })
    const allow = (actions: string[], resource: string, conditions = {}) =>
      role.addToPolicy(new PolicyStatement({ actions, resources: [resource], conditions }))
    allow(['states:StartExecution'], this.machine.stateMachineArn)
    allow(['sqs:SendMessage'], this.startDeadLetters.queueArn)
    const { functionArn } = this.worker.lambda
    if (entities.some(({ increments }) => increments)) allow(['lambda:InvokeFunction'], functionArn)
    if (this.key)
      allow(['kms:Decrypt', 'kms:GenerateDataKey'], this.key.keyArn, {
        StringEquals: { 'kms:ViaService': `sqs.${this.region}.${this.urlSuffix}` },
      })
    const schedules = new Schedules(this, 'Schedules', {
      entities,
      stateMachineArn: this.machine.stateMachineArn,
      workerArn: functionArn,
      roleArn: role.roleArn,
      deadLetterQueueArn: this.startDeadLetters.queueArn,
    })
    // A start before the role has its permissions would fail.
    schedules.node.addDependency(role.node.findChild('DefaultPolicy'))
  }

  /** Limited to this account's resources, which prevents the confused deputy problem. */
  private servicePrincipal(service: 'states' | 'scheduler'): ServicePrincipal {
    return new ServicePrincipal(`${service}.amazonaws.com`, {
      conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
    })
  }
}
