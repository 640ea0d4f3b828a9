import { tableDatabase } from '../../functions/runtime/settings-schema/glue-names.ts'
import type { Configuration } from '../../lib/config.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { grantsOf, type ResourceKind, type Role } from './operations.ts'

/** Names of a deployment that its policies contain. */
export interface PolicyFacts
  extends Pick<Deployment, 'stateMachineArn' | 'bucket' | 'table'>,
    Pick<Configuration, 'name' | 'previousEncryptionKeyArns'> {
  readonly secretIds: readonly string[]
  readonly logGroups: readonly string[]
  readonly apiId: string
  /** Name of the role with which the schedules start executions; undefined if nothing is scheduled. */
  readonly schedulerRole: string | undefined
  readonly encryptionKeyArn: string | undefined
}

export interface PolicyStatement {
  readonly Effect: 'Allow'
  readonly Action: readonly string[]
  readonly Resource: readonly string[]
  readonly Condition?: object
}

export interface Policy {
  readonly Version: '2012-10-17'
  readonly Statement: readonly PolicyStatement[]
}

/** The IAM policy of a role of operators. */
export function policyOf(role: Role, facts: PolicyFacts): Policy {
  const arns = arnsOf(facts)
  const statements = [...grantsOf(role)].map(([kind, Action]): PolicyStatement => {
    const statement = { Effect: 'Allow', Action, Resource: arns[kind] } as const
    return kind === 'scheduler role' ? { ...statement, Condition: onlyToScheduler } : statement
  })
  return { Version: '2012-10-17', Statement: statements.filter(({ Resource }) => Resource.length > 0) }
}

const onlyToScheduler = { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } }

/**
 * How the names begin that CloudFormation gives to the resources of a stack. To fit into the 64 characters of a name of
 * a schedule or function, it shortens the name of the stack, but not to less than 25 characters (`IdentifierUtils` of
 * cloudformation-cli-java-plugin).
 */
const unshortened = (stack: string) => (stack.length > 25 ? stack.slice(0, 25) : `${stack}-`)

function arnsOf(facts: PolicyFacts): Readonly<Record<ResourceKind, readonly string[]>> {
  const { name, stateMachineArn, bucket, table, secretIds, logGroups, schedulerRole, encryptionKeyArn } =
    facts
  const [, partition = '', , region = '', account = ''] = stateMachineArn.split(':')
  const arn = (service: string, resource: string) =>
    `arn:${partition}:${service}:${region}:${account}:${resource}`
  // Glue requires the permission on the catalog, the database and the table.
  const tablesOf = (database: string) =>
    ['catalog', `database/${database}`, `table/${database}/*`].map((resource) => arn('glue', resource))
  const bucketArn = `arn:${partition}:s3:::${bucket}`
  return {
    stacks: ['Storage', 'Sync', 'Api', 'Monitoring'].map((suffix) =>
      arn('cloudformation', `stack/${name}${suffix}/*`),
    ),
    functions: ['Sync', 'Api', 'Monitoring'].map((suffix) =>
      arn('lambda', `function:${unshortened(`${name}${suffix}`)}*`),
    ),
    // CloudFormation names schedules, and each new entity adds one.
    schedules: [arn('scheduler', `schedule/default/${unshortened(`${name}Sync`)}*`)],
    'scheduler role':
      schedulerRole === undefined ? [] : [`arn:${partition}:iam::${account}:role/${schedulerRole}`],
    // AWS's documentation shows both forms, with and without `:*`.
    'log groups': logGroups.flatMap((group) =>
      ['', ':*'].map((end) => arn('logs', `log-group:${group}${end}`)),
    ),
    // DescribeAlarms with a name prefix needs permission on all alarms.
    alarms: [arn('cloudwatch', 'alarm:*')],
    table: [arn('dynamodb', `table/${table}`)],
    bucket: [bucketArn],
    'heads of change sets': [`${bucketArn}/changes/*/latest.json`],
    'data of entities': ['snapshots', 'changes', 'tables', 'iceberg'].map(
      (prefix) => `${bucketArn}/${prefix}/*`,
    ),
    'typed tables': tablesOf(tableDatabase(name)),
    queries: [arn('athena', 'workgroup/primary')],
    routes: [arn('execute-api', `${facts.apiId}/*`)],
    'state machine': [stateMachineArn],
    executions: [`${stateMachineArn.replace(':stateMachine:', ':execution:')}:*`],
    secrets: [...new Set(secretIds)].flatMap((id) => {
      const secret = id.startsWith('arn:') ? id : arn('secretsmanager', `secret:${id}`)
      // Secrets Manager appends six characters to the name. An ARN may be given without them.
      return id.startsWith('arn:') ? [secret, `${secret}-??????`] : [`${secret}-??????`]
    }),
    key: encryptionKeyArn === undefined ? [] : [encryptionKeyArn],
    'previous keys': facts.previousEncryptionKeyArns,
  }
}
