import { ArnFormat, Duration, type Size, Stack } from 'aws-cdk-lib'
import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import { EventBus } from 'aws-cdk-lib/aws-events'
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import {
  ApplicationLogLevel,
  Architecture,
  type CfnFunction,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda'
import type { Bucket } from 'aws-cdk-lib/aws-s3'
import type { Topic } from 'aws-cdk-lib/aws-sns'
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import type { FunctionName } from '../../functions/http/lambda-functions.ts'
import { type Area, isBuiltIn } from '../../functions/platform/areas.ts'
import { environment } from '../../functions/runtime/environment.ts'
import { type Configuration, settingsOf } from '../config.ts'
import { deploysToEmulator } from '../deployment-region.ts'
import { customerKey } from './customer-key.ts'
import { interfacePermissions, vpcConfigOf } from './function-network.ts'
import { createLogGroup } from './log-group.ts'
import type { SecretReference } from './secret-reference.ts'
import { StagedCode } from './staged-code.ts'

export interface ServiceFunctionProps {
  readonly folder: FunctionName
  readonly description: string
  readonly configuration: Configuration
  readonly memory: { readonly mebibytes: number; readonly reason: string }
  readonly timeLimit: { readonly seconds: number; readonly reason: string }
  /** Size of /tmp; 512 MiB if absent. */
  readonly temporaryStorage?: Size
  /** Whether it calls the platform, and so from the `network`. */
  readonly callsPlatform?: true
  /** Named after the stack, for other stacks (ADR 12). Not for a released function, which would be replaced. */
  readonly hasFixedName?: true
  /** Reserved concurrency; none if absent. */
  readonly maxConcurrency?: number | undefined
}

type TableAction = 'GetItem' | 'BatchGetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'Query'
type ObjectAction = 'GetObject' | 'PutObject' | 'DeleteObject'

/** KMS actions that each action needs when a customer managed key encrypts the data. */
const keyActions: Readonly<Record<TableAction | ObjectAction, readonly string[]>> = {
  GetItem: ['Decrypt'],
  BatchGetItem: ['Decrypt'],
  Query: ['Decrypt'],
  PutItem: ['Decrypt', 'Encrypt', 'GenerateDataKey'],
  UpdateItem: ['Decrypt', 'Encrypt', 'GenerateDataKey'],
  DeleteItem: ['Decrypt', 'Encrypt', 'GenerateDataKey'],
  GetObject: ['Decrypt'],
  PutObject: ['GenerateDataKey'],
  DeleteObject: [],
}

/** A Lambda function with a role and a log group. Each `uses…` sets the variable of a resource and grants actions. */
export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction
  readonly role: Role
  /** For other stacks. */
  readonly functionName: string
  readonly logGroupName: string
  private readonly key: IKey | undefined
  private readonly previousKeys: readonly string[]

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id)
    this.key = customerKey(this, props.configuration)
    this.previousKeys = props.configuration.previousEncryptionKeyArns
    // Lambda's limit: a long `name` cuts the end.
    const fixedName = props.hasFixedName && `${Stack.of(this).stackName}-${id}`.slice(0, 64)
    const logGroup = createLogGroup(this, 'Logs', {
      ...props,
      ...(fixedName && { name: `${fixedName}Logs` }),
    })
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    // The managed policy AWSLambdaBasicExecutionRole would allow writing to every log group of the account.
    this.allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn])
    const code = new StagedCode(props.folder, settingsOf(props.configuration))
    this.lambda = new LambdaFunction(this, 'Function', {
      ...(fixedName && { functionName: fixedName }),
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'handler.handler',
      code,
      role: this.role,
      memorySize: props.memory.mebibytes,
      timeout: Duration.seconds(props.timeLimit.seconds),
      ...(props.temporaryStorage && { ephemeralStorageSize: props.temporaryStorage }),
      ...(props.configuration.tracing && { tracing: Tracing.ACTIVE }),
      ...(props.maxConcurrency !== undefined && { reservedConcurrentExecutions: props.maxConcurrency }),
      logGroup,
      environment: { [environment.metricNamespace]: props.configuration.name },
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: SystemLogLevel.INFO,
    })
    code.remove()
    this.functionName = fixedName ?? this.lambda.functionName
    this.logGroupName = fixedName ? `${fixedName}Logs` : logGroup.logGroupName
    const resource = this.lambda.node.defaultChild as CfnFunction
    resource.addMetadata('Reasons', { memory: props.memory.reason, timeLimit: props.timeLimit.reason })
    this.connect(props, resource)
  }

  usesTable(table: Table, actions: readonly TableAction[]): void {
    this.lambda.addEnvironment(environment.table, table.tableName)
    this.allow(
      actions.map((action) => `dynamodb:${action}`),
      [table.tableArn],
    )
    this.allowKey('dynamodb', [...actions.flatMap((action) => keyActions[action]), 'DescribeKey'])
  }

  /** Objects whose keys begin with `prefix`, in which `*` stands for any text. */
  usesBucket(bucket: Bucket, prefix: string, actions: readonly ObjectAction[]): void {
    this.lambda.addEnvironment(environment.bucket, bucket.bucketName)
    this.allow(
      actions.map((action) => `s3:${action}`),
      [bucket.arnForObjects(`${prefix}*`)],
    )
    // Without s3:ListBucket, S3 returns 403 instead of 404 for an object that does not exist.
    this.allow(['s3:ListBucket'], [bucket.bucketArn])
    this.allowKey(
      's3',
      actions.flatMap((action) => keyActions[action]),
    )
  }

  /** Writes objects with these keys, in which `*` stands for any text; `new`: without overwriting any. */
  writesObjects(bucket: Bucket, keys: readonly string[], which: 'any' | 'new' = 'any'): void {
    // S3 user guide, "Enforce conditional writes on Amazon S3 buckets". Emulators do not know the key.
    const isConditional = which === 'new' && !deploysToEmulator(process.env)
    this.allow(
      ['s3:PutObject'],
      keys.map((key) => bucket.arnForObjects(key)),
      isConditional ? { Null: { 's3:if-none-match': 'false' } } : undefined,
    )
    this.allowKey('s3', keyActions.PutObject)
  }

  /** Takes these objects out of everything else that the function may delete. */
  neverDeletes(bucket: Bucket, keys: readonly string[]): void {
    this.role.addToPolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        actions: ['s3:DeleteObject', 's3:DeleteObjectVersion'],
        resources: keys.map((key) => bucket.arnForObjects(key)),
      }),
    )
  }

  /** Deletes every version of the objects below a prefix that ends with a slash. They cannot be restored. */
  erasesVersions(bucket: Bucket, prefix: string): void {
    this.allow(['s3:DeleteObjectVersion'], [bucket.arnForObjects(`${prefix}*`)])
    this.allow(['s3:ListBucketVersions'], [bucket.bucketArn])
  }

  /** Reads and changes the tables of a Glue database of the account. */
  usesGlueDatabase(name: string): void {
    this.lambda.addEnvironment(environment.glueDatabase, name)
    const stack = Stack.of(this)
    const arn = (resource: string, resourceName?: string) =>
      stack.formatArn({ service: 'glue', resource, ...(resourceName !== undefined && { resourceName }) })
    // Glue checks each resource on the way to a table.
    this.allow(
      ['glue:GetTable', 'glue:CreateTable', 'glue:UpdateTable', 'glue:DeleteTable'],
      [arn('catalog'), arn('database', name), arn('table', `${name}/*`)],
    )
  }

  usesSecret(area: Area, secret: SecretReference): void {
    if (isBuiltIn(area)) this.lambda.addEnvironment(environment.credentials[area], secret.id)
    this.readsSecrets([secret])
  }

  /** Secrets that the settings name. */
  readsSecrets(secrets: readonly SecretReference[]): void {
    if (secrets.length === 0) return
    this.allow(
      ['secretsmanager:GetSecretValue'],
      secrets.flatMap(({ arns }) => arns),
    )
    this.allowKey('secretsmanager', ['Decrypt'])
  }

  /** Invokes it, and waits for what it returns. */
  usesPublisher({ lambda }: ServiceFunction): void {
    this.lambda.addEnvironment(environment.publisher, lambda.functionName)
    this.allow(['lambda:InvokeFunction'], [lambda.functionArn])
  }

  publishesTo(topic: Topic): void {
    this.lambda.addEnvironment(environment.alarmsTopic, topic.topicArn)
    this.allow(['sns:Publish'], [topic.topicArn])
    this.allowKey('sns', ['Decrypt', 'GenerateDataKey'])
  }

  /** Continues executions that wait. */
  wakesExecutions(machine: IStateMachine): void {
    this.allow(['states:SendTaskSuccess'], [machine.stateMachineArn])
  }

  /** Starts, continues and stops executions. */
  usesStateMachine(machine: IStateMachine): void {
    this.lambda.addEnvironment(environment.stateMachine, machine.stateMachineArn)
    this.allow(['states:StartExecution'], [machine.stateMachineArn])
    this.wakesExecutions(machine)
    this.allow(['states:StopExecution'], [executionArns(machine)])
  }

  /**
   * With a `network`, the function calls the platform and AWS services from there. The permissions on network interfaces
   * stay without one: Lambda deletes the interfaces of a network that was removed with the function's role.
   */
  private connect({ configuration, callsPlatform }: ServiceFunctionProps, resource: CfnFunction): void {
    const { network, upstream } = configuration
    const inside = network && (callsPlatform || network.functions === 'all') ? network : undefined
    for (const statement of interfacePermissions(this, inside ? 'inside' : 'outside'))
      this.role.addToPolicy(statement)
    if (inside) resource.vpcConfig = vpcConfigOf(this, inside, upstream.baseUrl)
  }

  /** On the account's default bus. */
  publishesEvents(): void {
    const bus = EventBus.fromEventBusName(this, 'Events', 'default')
    this.allow(['events:PutEvents'], [bus.eventBusArn])
  }

  /** Only through the service that stores the data, so that the role cannot decrypt anything else. */
  private allowKey(service: 'dynamodb' | 's3' | 'secretsmanager' | 'sns', actions: readonly string[]): void {
    const { region, urlSuffix } = Stack.of(this)
    const viaService = { StringEquals: { 'kms:ViaService': `${service}.${region}.${urlSuffix}` } }
    const calls = [...new Set(actions)].map((action) => `kms:${action}`)
    if (this.key) this.allow(calls, [this.key.keyArn], viaService)
    if (this.previousKeys.length > 0 && actions.includes('Decrypt'))
      this.allow(['kms:Decrypt'], this.previousKeys, viaService)
  }

  private allow(actions: readonly string[], resources: readonly string[], conditions?: object): void {
    this.role.addToPolicy(
      new PolicyStatement({
        actions: [...actions],
        resources: [...resources],
        ...(conditions && { conditions: { ...conditions } }),
      }),
    )
  }
}

/** An execution's ARN contains the name of its state machine, then its own name. */
function executionArns(machine: IStateMachine): string {
  const stack = Stack.of(machine)
  const name = stack.splitArn(machine.stateMachineArn, ArnFormat.COLON_RESOURCE_NAME).resourceName ?? ''
  return stack.formatArn({
    service: 'states',
    resource: 'execution',
    resourceName: `${name}:*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
}
