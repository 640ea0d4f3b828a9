export const roles = ['view', 'operate', 'administer'] as const
/** Cumulative: each role may also do what the previous ones may. */
export type Role = (typeof roles)[number]

/** What an AWS call is made on. `policy.ts` has the ARNs. */
export type ResourceKind =
  | 'stacks'
  | 'schedules'
  | 'scheduler role'
  | 'log groups'
  | 'alarms'
  | 'table'
  | 'bucket'
  | 'heads of change sets'
  | 'data of entities'
  | 'typed tables'
  | 'queries'
  | 'routes'
  | 'state machine'
  | 'executions'
  | 'secrets'
  | 'key'
  | 'previous keys'

export interface Grant {
  readonly actions: readonly string[]
  readonly on: ResourceKind
}

const decrypt: readonly Grant[] = [
  { actions: ['kms:Decrypt'], on: 'key' },
  { actions: ['kms:Decrypt'], on: 'previous keys' },
]
const encrypt: readonly Grant[] = [...decrypt, { actions: ['kms:GenerateDataKey'], on: 'key' }]

const deployment: Grant = { actions: ['cloudformation:DescribeStacks'], on: 'stacks' }
const resources: Grant = { actions: ['cloudformation:ListStackResources'], on: 'stacks' }
const schedules = [resources, { actions: ['scheduler:GetSchedule'], on: 'schedules' }] as const
const runs = [
  { actions: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'], on: 'table' },
  ...decrypt,
] as const
const objects = [
  { actions: ['s3:GetObject'], on: 'data of entities' },
  // Without it, S3 returns 403 instead of 404 for an object that does not exist.
  { actions: ['s3:ListBucket'], on: 'bucket' },
  ...decrypt,
] as const
const versions: readonly Grant[] = [
  { actions: ['s3:GetObjectVersion'], on: 'data of entities' },
  { actions: ['s3:ListBucketVersions'], on: 'bucket' },
]
const readLogs: Grant = { actions: ['logs:FilterLogEvents'], on: 'log groups' }
const describeSecret: Grant = { actions: ['secretsmanager:DescribeSecret'], on: 'secrets' }
const template: Grant = { actions: ['cloudformation:GetTemplate'], on: 'stacks' }
const stored: readonly Grant[] = [deployment, ...objects]
const storedRuns: readonly Grant[] = [...stored, ...runs]
/** What shows everything that needs a person. */
const problems: readonly Grant[] = [...storedRuns, ...schedules, template, describeSecret]
/** What is stored of an entity, and what may still be writing it. */
const storedInUse: readonly Grant[] = [
  ...storedRuns,
  resources,
  template,
  { actions: ['s3:ListBucketVersions'], on: 'bucket' },
  { actions: ['states:DescribeExecution'], on: 'executions' },
]
const writeRun: Grant = { actions: ['dynamodb:PutItem', 'dynamodb:UpdateItem'], on: 'table' }
const accept: readonly Grant[] = [
  ...runs,
  { actions: ['states:StartExecution'], on: 'state machine' },
  { actions: ['states:DescribeExecution'], on: 'executions' },
]
const start: readonly Grant[] = [...accept, writeRun]
const cancel: readonly Grant[] = [
  ...runs,
  writeRun,
  { actions: ['states:StopExecution'], on: 'executions' },
  // To give its slot to the next run that waits, and take that one out of the queue.
  { actions: ['states:SendTaskSuccess'], on: 'state machine' },
  { actions: ['dynamodb:DeleteItem'], on: 'table' },
]
const changeSchedule: readonly Grant[] = [
  deployment,
  ...schedules,
  { actions: ['scheduler:UpdateSchedule'], on: 'schedules' },
  // Scheduler needs the whole schedule, with its role.
  { actions: ['iam:PassRole'], on: 'scheduler role' },
]

/** The pause is stored with the entity. A schedule that is disabled is enabled. */
const changePause: readonly Grant[] = [
  ...changeSchedule,
  ...runs,
  { actions: ['dynamodb:UpdateItem'], on: 'table' },
]

const repairSchedule: readonly Grant[] = [
  ...changeSchedule,
  template,
  { actions: ['scheduler:CreateSchedule'], on: 'schedules' },
]

export interface OperatorAction {
  /** A command, a command with the option that needs more, or an action of the console. */
  readonly name: string
  readonly role: Role
  readonly grants: readonly Grant[]
}

/** The AWS calls of each command and each action of the console. Commands that are not listed call nothing in AWS. */
export const operations: readonly OperatorAction[] = [
  { name: 'status', role: 'view', grants: problems },
  { name: 'runs', role: 'view', grants: [deployment, ...runs] },
  { name: 'logs', role: 'view', grants: [deployment, resources, ...runs, readLogs] },
  { name: 'doctor', role: 'view', grants: problems },
  { name: 'pull', role: 'view', grants: stored },
  // Old versions contain what was deleted: without a permission to read them, it cannot tell whether one is intact.
  { name: 'verify', role: 'view', grants: storedRuns },
  { name: 'changes', role: 'view', grants: stored },
  { name: 'history', role: 'view', grants: storedRuns },
  { name: 'compare', role: 'view', grants: storedRuns },
  { name: 'columns', role: 'view', grants: stored },
  { name: 'table', role: 'view', grants: stored },
  { name: 'review', role: 'view', grants: storedRuns },
  { name: 'retention', role: 'view', grants: storedRuns },
  { name: 'policy', role: 'view', grants: [deployment, resources] },
  {
    name: 'console',
    role: 'view',
    grants: [...problems, readLogs, { actions: ['cloudwatch:DescribeAlarms'], on: 'alarms' }],
  },
  { name: 'sync', role: 'operate', grants: [...stored, ...start] },
  // sts:GetCallerIdentity needs no permission.
  { name: 'accept', role: 'operate', grants: [...stored, ...accept] },
  { name: 'republish', role: 'operate', grants: [...stored, ...start] },
  { name: 'cancel', role: 'operate', grants: [deployment, ...cancel] },
  { name: 'pause', role: 'operate', grants: changePause },
  { name: 'resume', role: 'operate', grants: changePause },
  { name: 'repair-schedule', role: 'operate', grants: repairSchedule },
  {
    name: 'changes --reset',
    role: 'operate',
    grants: [...stored, { actions: ['s3:PutObject'], on: 'heads of change sets' }, ...encrypt],
  },
  { name: 'console: start a sync', role: 'operate', grants: start },
  { name: 'console: pause or resume an entity', role: 'operate', grants: changePause },
  { name: 'console: cancel a run', role: 'operate', grants: cancel },
  {
    name: 'credentials set',
    role: 'administer',
    grants: [
      deployment,
      ...start,
      {
        actions: [
          'secretsmanager:DescribeSecret',
          'secretsmanager:GetSecretValue',
          'secretsmanager:PutSecretValue',
          'secretsmanager:UpdateSecretVersionStage',
        ],
        on: 'secrets',
      },
      ...encrypt,
    ],
  },
  {
    name: 'purge',
    role: 'administer',
    grants: [
      ...storedInUse,
      { actions: ['dynamodb:DeleteItem'], on: 'table' },
      { actions: ['s3:DeleteObject', 's3:DeleteObjectVersion'], on: 'data of entities' },
      { actions: ['glue:DeleteTable'], on: 'typed tables' },
    ],
  },
  {
    name: 'doctor --live',
    role: 'administer',
    grants: [
      ...stored,
      ...start,
      { actions: ['execute-api:Invoke'], on: 'routes' },
      // Athena reads and writes with the permissions of the caller.
      {
        actions: [
          'athena:StartQueryExecution',
          'athena:GetQueryExecution',
          'athena:GetQueryResults',
          'athena:StopQueryExecution',
        ],
        on: 'queries',
      },
      { actions: ['glue:GetDatabase', 'glue:GetTable'], on: 'typed tables' },
      { actions: ['s3:GetBucketLocation', 's3:ListBucketVersions'], on: 'bucket' },
      {
        actions: ['s3:PutObject', 's3:DeleteObject', 's3:DeleteObjectVersion'],
        on: 'data of entities',
      },
      ...encrypt,
    ],
  },
  {
    name: 'verify --repair',
    role: 'administer',
    grants: [...storedRuns, ...versions, { actions: ['s3:PutObject'], on: 'data of entities' }, ...encrypt],
  },
  {
    name: 'erase',
    role: 'administer',
    grants: [
      ...storedRuns,
      { actions: ['dynamodb:DeleteItem'], on: 'table' },
      ...versions,
      // Also to move the heads of change sets and tables.
      { actions: ['s3:GetObject', 's3:PutObject', 's3:DeleteObjectVersion'], on: 'data of entities' },
      ...encrypt,
      { actions: ['glue:GetTable', 'glue:CreateTable', 'glue:UpdateTable'], on: 'typed tables' },
    ],
  },
  {
    name: 'probe',
    role: 'administer',
    // It reads the platform with the deployment's credentials.
    grants: [deployment, { actions: ['secretsmanager:GetSecretValue'], on: 'secrets' }, ...decrypt],
  },
]

/** What a role may call, by what it is called on. */
export function grantsOf(role: Role): ReadonlyMap<ResourceKind, readonly string[]> {
  const included = roles.slice(0, roles.indexOf(role) + 1)
  const grants = operations.filter((one) => included.includes(one.role)).flatMap((one) => one.grants)
  return actionsByKind(grants)
}

export function actionsByKind(grants: readonly Grant[]): ReadonlyMap<ResourceKind, readonly string[]> {
  const kinds = Map.groupBy(grants, ({ on }) => on)
  return new Map(
    [...kinds].map(([on, all]) => [on, [...new Set(all.flatMap(({ actions }) => actions))].toSorted()]),
  )
}
