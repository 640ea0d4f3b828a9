import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ArnFormat, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import type { Table } from 'aws-cdk-lib/aws-dynamodb'
import type { IEventBus } from 'aws-cdk-lib/aws-events'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import {
  ApplicationLogLevel,
  Architecture,
  type CfnFunction,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Bucket } from 'aws-cdk-lib/aws-s3'
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import { Construct } from 'constructs'
import type { FunctionName } from '../../functions/lambda-functions.ts'
import type { Area } from '../../functions/platform/areas.ts'
import { environment, type Settings, settingsFileName } from '../../functions/runtime/settings.ts'
import type { CredentialsSecret } from './credentials-secret.ts'

export interface ServiceFunctionProps {
  /** The folder of `functions/` that contains its code. */
  readonly folder: FunctionName
  readonly description: string
  readonly settings: Settings
  /** What its log and whatever it uses are encrypted with, if not with AWS's own keys. */
  readonly key: IKey | undefined
  readonly memory: { readonly mebibytes: number; readonly reason: string }
  readonly timeLimit: { readonly seconds: number; readonly reason: string }
}

type TableAction = 'GetItem' | 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'Query'
type ObjectAction = 'GetObject' | 'PutObject' | 'DeleteObject'

/** What a caller must be allowed on the owner's key for each action of ours on what it encrypts. */
const keyActions: Readonly<Record<TableAction | ObjectAction, readonly string[]>> = {
  GetItem: ['Decrypt'],
  Query: ['Decrypt'],
  PutItem: ['Decrypt', 'Encrypt', 'GenerateDataKey'],
  UpdateItem: ['Decrypt', 'Encrypt', 'GenerateDataKey'],
  DeleteItem: ['Decrypt', 'Encrypt', 'GenerateDataKey'],
  GetObject: ['Decrypt'],
  PutObject: ['GenerateDataKey'],
  DeleteObject: [],
}

/**
 * What every function of ours has. Giving it a resource sets the variable that names the resource and grants
 * exactly what it does with it.
 */
export class ServiceFunction extends Construct {
  readonly lambda: LambdaFunction
  readonly role: Role
  private readonly key: IKey | undefined

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id)
    this.key = props.key
    const logGroup = new LogGroup(this, 'Logs', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
      ...(props.key && { encryptionKey: props.key }),
    })
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') })
    // Not the managed policy for basic execution: that one writes to every log group of the account.
    this.allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn])
    const codeFolder = stageCode(props.folder, props.settings)
    this.lambda = new LambdaFunction(this, 'Function', {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'handler.handler',
      code: Code.fromAsset(codeFolder),
      role: this.role,
      memorySize: props.memory.mebibytes,
      timeout: Duration.seconds(props.timeLimit.seconds),
      logGroup,
      environment: { [environment.metricNamespace]: props.settings.name },
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      systemLogLevelV2: SystemLogLevel.INFO,
    })
    const resource = this.lambda.node.defaultChild as CfnFunction
    resource.addMetadata('Reasons', { memory: props.memory.reason, timeLimit: props.timeLimit.reason })
    rmSync(codeFolder, { recursive: true })
  }

  usesTable(table: Table, actions: readonly TableAction[]): void {
    this.lambda.addEnvironment(environment.table, table.tableName)
    this.allow(
      actions.map((action) => `dynamodb:${action}`),
      [table.tableArn],
    )
    this.allowKey('dynamodb', [...actions.flatMap((action) => keyActions[action]), 'DescribeKey'])
  }

  /** `prefix` ends in a slash. */
  usesBucket(bucket: Bucket, prefix: string, actions: readonly ObjectAction[]): void {
    this.lambda.addEnvironment(environment.bucket, bucket.bucketName)
    this.allow(
      actions.map((action) => `s3:${action}`),
      [bucket.arnForObjects(`${prefix}*`)],
    )
    // Without it S3 answers 403 instead of 404 for an object that is not there.
    this.allow(['s3:ListBucket'], [bucket.bucketArn])
    this.allowKey(
      's3',
      actions.flatMap((action) => keyActions[action]),
    )
  }

  usesSecret(area: Area, secret: CredentialsSecret): void {
    this.lambda.addEnvironment(environment.credentials[area], secret.id)
    this.allow(['secretsmanager:GetSecretValue'], secret.arns)
    this.allowKey('secretsmanager', ['Decrypt'])
  }

  /** Starts and stops executions, which have names that nobody knows beforehand. */
  runsStateMachine(machine: IStateMachine): void {
    this.lambda.addEnvironment(environment.stateMachine, machine.stateMachineArn)
    this.allow(['states:StartExecution'], [machine.stateMachineArn])
    this.allow(['states:StopExecution'], [executionsOf(machine)])
  }

  publishesEventsTo(bus: IEventBus): void {
    this.allow(['events:PutEvents'], [bus.eventBusArn])
  }

  /** Only by way of the service that keeps the data, so that nothing else can be decrypted with it. */
  private allowKey(service: 'dynamodb' | 's3' | 'secretsmanager', actions: readonly string[]): void {
    if (!this.key) return
    const { region, urlSuffix } = Stack.of(this)
    this.role.addToPolicy(
      new PolicyStatement({
        actions: [...new Set(actions)].map((action) => `kms:${action}`),
        resources: [this.key.keyArn],
        conditions: { StringEquals: { 'kms:ViaService': `${service}.${region}.${urlSuffix}` } },
      }),
    )
  }

  private allow(actions: readonly string[], resources: readonly string[]): void {
    this.role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [...resources] }))
  }
}

/** An execution's ARN has the machine's name where the machine's ARN has it, and then its own. */
function executionsOf(machine: IStateMachine): string {
  const stack = Stack.of(machine)
  const name = stack.splitArn(machine.stateMachineArn, ArnFormat.COLON_RESOURCE_NAME).resourceName ?? ''
  return stack.formatArn({
    service: 'states',
    resource: 'execution',
    resourceName: `${name}:*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  })
}

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))

/** A copy of the built function, without source maps, with the settings beside it. CDK copies it on at once. */
function stageCode(folder: FunctionName, settings: Settings): string {
  const built = join(dist, folder)
  if (!existsSync(built)) throw new Error(`dist/${folder} is missing: run npm run build.`)
  const staged = mkdtempSync(join(tmpdir(), 'longshore-'))
  cpSync(built, staged, { recursive: true, filter: (path) => !path.endsWith('.map') })
  writeFileSync(join(staged, settingsFileName), JSON.stringify(settings))
  return staged
}
