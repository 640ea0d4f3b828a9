import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FunctionName } from '../../functions/http/lambda-functions.ts'
import { type Bundle, permissions } from './synthesize.ts'

const dist = join(import.meta.dirname, '../../dist')

/** Where the names of the Service Authorization Reference are not those of the SDK. */
const services: Readonly<Record<string, string>> = {
  eventbridge: 'events',
  'secrets-manager': 'secretsmanager',
  sfn: 'states',
}
const operations: Readonly<Record<string, string>> = {
  'lambda:Invoke': 'InvokeFunction',
  's3:DeleteObjects': 'DeleteObject',
  's3:HeadObject': 'GetObject',
  's3:ListObjectsV2': 'ListBucket',
  's3:ListObjectVersions': 'ListBucketVersions',
}

const command = /@aws-sdk\/client-([a-z0-9-]+)\/dist-es\/commands\/(\w+)Command\.js/g

/** The actions that the calls in a function's bundle need. Its source maps name what it consists of. */
function neededBy(name: FunctionName): Set<string> {
  const maps = globSync('*.map', { cwd: join(dist, name) }).map((file) =>
    readFileSync(join(dist, name, file), 'utf8'),
  )
  const calls = [...maps.join('').matchAll(command)].map(([, client = '', operation = '']) => {
    const service = services[client] ?? client
    return `${service}:${operations[`${service}:${operation}`] ?? operation}`
  })
  return new Set(calls)
}

/** By the construct's name, where it is not the function's. */
const otherNames: Readonly<Record<string, FunctionName>> = {
  Freshness: 'look',
  OpenApi: 'openapi',
  SyncApi: 'sync-api',
}

/** Of both roles that are not a function's, what their targets need. */
export const ofServices: Readonly<Record<string, readonly string[]>> = {
  MachineRole: ['lambda:InvokeFunction'],
  SchedulerRole: ['lambda:InvokeFunction', 'sqs:SendMessage', 'states:StartExecution'],
}

/**
 * In a bundle, but never called: the clients of table and bucket are one module each, and the SDK brings two calls of its
 * own. The end-to-end tests run each function on a service that refuses what its role lacks.
 */
const ofSdk = ['dynamodb:DescribeEndpoints', 's3:CreateSession']
export const neverCalled: Readonly<Record<FunctionName, readonly string[]>> = {
  proxy: ['dynamodb:BatchGetItem', 'dynamodb:DescribeEndpoints', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  'sync-api': [...ofSdk, 's3:DeleteObject', 's3:PutObject'],
  openapi: [],
  worker: [...ofSdk, 'dynamodb:BatchGetItem'],
  publisher: ofSdk,
  compare: [...ofSdk, ...['DeleteItem', 'GetItem', 'PutItem', 'Query'].map((action) => `dynamodb:${action}`)],
  tables: [...ofSdk, ...['DeleteItem', 'GetItem', 'PutItem', 'Query'].map((action) => `dynamodb:${action}`)],
  look: [...ofSdk, 'dynamodb:UpdateItem', 's3:DeleteObject', 's3:PutObject'],
}

/** Granted actions that no call of the functions needs. */
export const reasons: readonly { readonly actions: RegExp; readonly reason: string }[] = [
  { actions: /^\w+Role logs:/, reason: 'Lambda and Step Functions write the logs with the role.' },
  { actions: /^\w+Role xray:/, reason: 'Lambda and Step Functions send the traces with the role.' },
  {
    actions: /^\w+Role ec2:/,
    reason: 'Lambda manages network interfaces with the role. Our code is denied it.',
  },
  {
    actions: /^\w+Role kms:/,
    reason: 'The service that stores the data uses the key in the name of the role.',
  },
  {
    actions: /^(Compare|Tables)Role s3:DeleteObjectVersion$/,
    reason: 'DeleteObjects needs it where it names versions.',
  },
]

/** The function of a role. */
export function functionOf(role: string): FunctionName {
  const name = role.replace(/Role$/, '')
  return otherNames[name] ?? (name.toLowerCase() as FunctionName)
}

export interface RoleActions {
  /** The id of its construct. */
  readonly role: string
  readonly granted: ReadonlySet<string>
  readonly needed: ReadonlySet<string>
}

export function roleActions(bundle: Pick<Bundle, 'of'>): RoleActions[] {
  const statements = permissions(bundle).filter(({ effect }) => effect === 'Allow')
  return bundle.of('AWS::IAM::Role').map(({ id }) => {
    const role = id.replace(/[0-9A-F]{8}$/, '')
    const own = statements.filter(({ roles }) => roles.includes(id))
    const needed = ofServices[role] ?? neededBy(functionOf(role))
    return { role, granted: new Set(own.flatMap(({ actions }) => actions)), needed: new Set(needed) }
  })
}

/** What calls need and roles do not grant: `ROLE ACTION`. */
export const missingActions = (roles: readonly RoleActions[]): string[] =>
  roles.flatMap(({ role, granted, needed }) => {
    const ignored = ofServices[role] ? [] : neverCalled[functionOf(role)]
    return [...needed].flatMap((action) =>
      granted.has(action) || ignored.includes(action) ? [] : [`${role} ${action}`],
    )
  })
