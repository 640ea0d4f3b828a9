export const roles = ['view', 'operate', 'administer'] as const
/** Cumulative: each role may also do what the previous ones may. */
export type Role = (typeof roles)[number]

/** What an AWS call is made on. `policy.ts` has the ARNs. */
export type ResourceKind =
  | 'stacks'
  | 'functions'
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

const grant = (on: ResourceKind, ...actions: string[]): Grant => ({ actions, on })

const decrypt: readonly Grant[] = [grant('key', 'kms:Decrypt'), grant('previous keys', 'kms:Decrypt')]
const encrypt: readonly Grant[] = [...decrypt, grant('key', 'kms:GenerateDataKey')]

const deployment: Grant = grant('stacks', 'cloudformation:DescribeStacks')
const resources: Grant = grant('stacks', 'cloudformation:ListStackResources')
const schedules = [resources, grant('schedules', 'scheduler:GetSchedule')] as const
const runs = [
  grant('table', 'dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'),
  ...decrypt,
] as const
const objects = [
  grant('data of entities', 's3:GetObject'),
  // Without it, S3 returns 403 instead of 404 for an object that does not exist.
  grant('bucket', 's3:ListBucket'),
  ...decrypt,
] as const
const versions: readonly Grant[] = [
  grant('data of entities', 's3:GetObjectVersion'),
  grant('bucket', 's3:ListBucketVersions'),
]
const readLogs: Grant = grant('log groups', 'logs:FilterLogEvents')
const describeSecret: Grant = grant('secrets', 'secretsmanager:DescribeSecret')
const template: Grant = grant('stacks', 'cloudformation:GetTemplate')
const code: Grant = grant('functions', 'lambda:GetFunction')
const stored: readonly Grant[] = [deployment, ...objects]
const storedRuns: readonly Grant[] = [...stored, ...runs]
/** What shows everything that needs a person. */
const problems: readonly Grant[] = [...storedRuns, ...schedules, template, describeSecret]
/** What is stored of an entity, and what may still be writing it. */
const storedInUse: readonly Grant[] = [
  ...storedRuns,
  resources,
  template,
  grant('bucket', 's3:ListBucketVersions'),
  grant('executions', 'states:DescribeExecution'),
]
const writeRun: Grant = grant('table', 'dynamodb:PutItem', 'dynamodb:UpdateItem')
const accept: readonly Grant[] = [
  ...runs,
  grant('state machine', 'states:StartExecution'),
  grant('executions', 'states:DescribeExecution'),
]
const start: readonly Grant[] = [...accept, writeRun]
const cancel: readonly Grant[] = [
  ...runs,
  writeRun,
  grant('executions', 'states:StopExecution'),
  // To give its slot to the next run that waits, and take that one out of the queue.
  grant('state machine', 'states:SendTaskSuccess'),
  grant('table', 'dynamodb:DeleteItem'),
]
const changeSchedule: readonly Grant[] = [
  deployment,
  ...schedules,
  grant('schedules', 'scheduler:UpdateSchedule'),
  // Scheduler needs the whole schedule, with its role.
  grant('scheduler role', 'iam:PassRole'),
]

/** The pause is stored with the entity. A schedule that is disabled is enabled. */
const changePause: readonly Grant[] = [...changeSchedule, ...runs, grant('table', 'dynamodb:UpdateItem')]

const repairSchedule: readonly Grant[] = [
  ...changeSchedule,
  template,
  grant('schedules', 'scheduler:CreateSchedule'),
]

export interface OperatorAction {
  /** A command, a command with the option that needs more, or an action of the console. */
  readonly name: string
  readonly role: Role
  readonly grants: readonly Grant[]
}

/** The AWS calls of each command and each action of the console. Commands that are not listed call nothing in AWS. */
const byRole: Readonly<Record<Role, Readonly<Record<string, readonly Grant[]>>>> = {
  view: {
    status: problems,
    runs: [deployment, ...runs],
    logs: [deployment, resources, ...runs, readLogs],
    doctor: [...problems, code],
    pull: stored,
    // Old versions contain what was deleted: without a permission to read them, it cannot tell whether one is intact.
    verify: storedRuns,
    changes: stored,
    history: storedRuns,
    compare: storedRuns,
    columns: stored,
    table: stored,
    review: storedRuns,
    retention: storedRuns,
    policy: [deployment, resources],
    console: [...problems, readLogs, grant('alarms', 'cloudwatch:DescribeAlarms'), code],
  },
  operate: {
    sync: [...stored, ...start],
    // sts:GetCallerIdentity needs no permission.
    accept: [...stored, ...accept],
    republish: [...stored, ...start],
    cancel: [deployment, ...cancel],
    pause: changePause,
    resume: changePause,
    'repair-schedule': repairSchedule,
    'changes --reset': [...stored, grant('heads of change sets', 's3:PutObject'), ...encrypt],
    'console: start a sync': start,
    'console: pause or resume an entity': changePause,
    'console: cancel a run': cancel,
  },
  administer: {
    'credentials set': [
      deployment,
      ...start,
      grant(
        'secrets',
        'secretsmanager:DescribeSecret',
        'secretsmanager:GetSecretValue',
        'secretsmanager:PutSecretValue',
        'secretsmanager:UpdateSecretVersionStage',
      ),
      ...encrypt,
    ],
    purge: [
      ...storedInUse,
      grant('table', 'dynamodb:DeleteItem'),
      grant('data of entities', 's3:DeleteObject', 's3:DeleteObjectVersion'),
      grant('typed tables', 'glue:DeleteTable'),
    ],
    'doctor --live': [
      ...stored,
      ...start,
      grant('routes', 'execute-api:Invoke'),
      // Athena reads and writes with the permissions of the caller.
      grant(
        'queries',
        'athena:StartQueryExecution',
        'athena:GetQueryExecution',
        'athena:GetQueryResults',
        'athena:StopQueryExecution',
      ),
      grant('typed tables', 'glue:GetDatabase', 'glue:GetTable'),
      grant('bucket', 's3:GetBucketLocation', 's3:ListBucketVersions'),
      grant('data of entities', 's3:PutObject', 's3:DeleteObject', 's3:DeleteObjectVersion'),
      ...encrypt,
    ],
    'verify --repair': [...storedRuns, ...versions, grant('data of entities', 's3:PutObject'), ...encrypt],
    erase: [
      ...storedRuns,
      grant('table', 'dynamodb:DeleteItem'),
      ...versions,
      // Also to move the heads of change sets and tables.
      grant('data of entities', 's3:GetObject', 's3:PutObject', 's3:DeleteObjectVersion'),
      ...encrypt,
      grant('typed tables', 'glue:GetTable', 'glue:CreateTable', 'glue:UpdateTable'),
    ],
    // It reads the platform with the deployment's credentials.
    probe: [deployment, grant('secrets', 'secretsmanager:GetSecretValue'), ...decrypt],
  },
}

export const operations: readonly OperatorAction[] = roles.flatMap((role) =>
  Object.entries(byRole[role]).map(([name, grants]) => ({ name, role, grants })),
)

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
