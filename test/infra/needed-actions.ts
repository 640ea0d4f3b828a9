import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type FunctionName, lambdaFunctions } from '../../functions/lambda-functions.ts'
import { configurations } from './configurations.ts'
import { permissions, synthesize } from './synthesize.ts'

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
const ofServices: Readonly<Record<string, readonly string[]>> = {
  MachineRole: ['lambda:InvokeFunction'],
  SchedulerRole: ['lambda:InvokeFunction', 'sqs:SendMessage', 'states:StartExecution'],
}

/**
 * In a bundle, but never called: the clients of table and bucket are one module each, and the SDK brings two calls of its
 * own. The end-to-end tests run each function on a service that refuses what its role lacks.
 */
const ofSdk = ['dynamodb:DescribeEndpoints', 's3:CreateSession']
const neverCalled: Readonly<Record<FunctionName, readonly string[]>> = {
  proxy: ['dynamodb:BatchGetItem', 'dynamodb:DescribeEndpoints', 'dynamodb:Query', 'dynamodb:UpdateItem'],
  'sync-api': [...ofSdk, 's3:DeleteObject', 's3:PutObject'],
  openapi: [],
  worker: [...ofSdk, 'dynamodb:BatchGetItem'],
  publisher: ofSdk,
  compare: [...ofSdk, ...['DeleteItem', 'GetItem', 'PutItem', 'Query'].map((action) => `dynamodb:${action}`)],
  tables: [...ofSdk, ...['DeleteItem', 'GetItem', 'PutItem', 'Query'].map((action) => `dynamodb:${action}`)],
  look: [...ofSdk, 'dynamodb:UpdateItem', 's3:DeleteObject', 's3:PutObject'],
}

/** Granted, and needed by no call of ours. */
const reasons: readonly { readonly actions: RegExp; readonly reason: string }[] = [
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

const complete = synthesize(
  Object.assign({}, ...Object.values(configurations), {
    athena: true,
    entities: [
      { name: 'CL', schedule: 'rate(1 day)', increments: { schedule: 'rate(5 minutes)' }, columns: ['id'] },
    ],
  }),
)
const roles = complete.of('AWS::IAM::Role').map(({ id }) => ({
  role: id.replace(/[0-9A-F]{8}$/, ''),
  granted: new Set(
    permissions(complete)
      .filter(({ effect, roles }) => effect === 'Allow' && roles.includes(id))
      .flatMap(({ actions }) => actions),
  ),
}))
const functionOf = (role: string) => {
  const name = role.replace(/Role$/, '')
  return otherNames[name] ?? (name.toLowerCase() as FunctionName)
}
const needsOf = (role: string) => ofServices[role] ?? [...neededBy(functionOf(role))]

describe('the roles', () => {
  it('are those of the functions and of two services', () => {
    const names = roles.map(({ role }) => (ofServices[role] ? role : functionOf(role)))
    expect(names.toSorted()).toEqual([...lambdaFunctions, ...Object.keys(ofServices)].toSorted())
  })

  it.each(roles)('$role grants all that its calls need', ({ role, granted }) => {
    const missing = needsOf(role).filter((action) => !granted.has(action))
    expect(missing.toSorted()).toEqual(ofServices[role] ? [] : neverCalled[functionOf(role)].toSorted())
  })

  it('grant nothing else without a reason', () => {
    const others = roles.flatMap(({ role, granted }) =>
      [...granted].flatMap((action) => (needsOf(role).includes(action) ? [] : [`${role} ${action}`])),
    )
    expect(others.filter((other) => !reasons.some(({ actions }) => actions.test(other)))).toEqual([])
    expect(reasons.filter(({ actions }) => !others.some((other) => actions.test(other)))).toEqual([])
  })
})
