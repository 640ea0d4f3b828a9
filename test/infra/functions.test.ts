import { beforeAll, describe, expect, it } from 'vitest'
import { lambdaFunctions } from '../../functions/http/lambda-functions.ts'
import { type Bundle, permissions, type Resource, synthesize } from './synthesize.ts'

let bundle: Bundle
let functions: readonly Resource[]
beforeAll(() => {
  bundle = synthesize({
    entities: [{ name: 'CL', schedule: 'rate(6 hours)', query: { _fields: 'id', page: 3 } }],
    credentials: {
      logistics: 'shop/logistics',
      subscriptions: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:subscriptions',
    },
  })
  functions = bundle.of('AWS::Lambda::Function')
})

const statementsOf = (start: string) =>
  permissions(bundle).filter(({ policy, effect }) => policy.startsWith(`${start}Role`) && effect === 'Allow')
const actionsOf = (start: string) => statementsOf(start).flatMap(({ actions }) => actions)

describe('every function', () => {
  it('runs on Node 24 and arm64', () => {
    expect(functions).toHaveLength(lambdaFunctions.length)
    for (const { properties } of functions) {
      expect(properties.Runtime).toBe('nodejs24.x')
      expect(properties.Architectures).toEqual(['arm64'])
      expect(properties.Handler).toBe('handler.handler')
    }
  })

  it('has the reasons for its memory and time limit in its metadata', () => {
    for (const { metadata, properties } of functions) {
      expect(metadata['Reasons']).toEqual({ memory: expect.any(String), timeLimit: expect.any(String) })
      expect(properties.MemorySize).toBeGreaterThanOrEqual(512)
    }
  })

  it('responds within 29 seconds if API Gateway invokes it', () => {
    const ofApi = functions.filter(({ stack }) => stack === 'LongshoreApi')
    expect(ofApi).toHaveLength(3)
    for (const { properties } of ofApi) expect(properties.Timeout).toBeLessThanOrEqual(29)
  })

  it('logs JSON to its own log group', () => {
    const groups = functions.map(({ properties }) => properties.LoggingConfig.LogGroup.Ref)
    expect(new Set(groups).size).toBe(functions.length)
    for (const { properties } of functions) expect(properties.LoggingConfig.LogFormat).toBe('JSON')
  })

  it('has its own role, which may write only to its own log group', () => {
    const roles = functions.map(({ properties }) => properties.Role['Fn::GetAtt'][0])
    expect(new Set(roles).size).toBe(functions.length)
    for (const { properties } of functions) {
      const role = properties.Role['Fn::GetAtt'][0]
      const policies = bundle
        .of('AWS::IAM::Policy')
        .filter(({ properties: { Roles } }) => Roles.some(({ Ref }: { Ref: string }) => Ref === role))
        .map(({ id }) => id)
      const logging = permissions(bundle).filter(
        ({ policy, actions }) =>
          policies.includes(policy) && actions.some((action) => action.startsWith('logs:')),
      )
      expect(logging).toHaveLength(1)
      expect(logging[0]?.actions).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents'])
      expect(logging[0]?.resources).toEqual([
        { 'Fn::GetAtt': [properties.LoggingConfig.LogGroup.Ref, 'Arn'] },
      ])
    }
  })

  it('is uploaded with its settings and without source maps', () => {
    for (const lambda of functions) {
      const { files, settings } = bundle.codeOf(lambda)
      expect(files).toContain('handler.mjs')
      expect(files.filter((file) => file.endsWith('.map'))).toEqual([])
      expect(settings).toMatchObject({
        name: 'Longshore',
        upstream: { baseUrl: 'https://shop.example.com', headerPrefix: 'X-SVC' },
        entities: [{ name: 'CL', query: { _fields: 'id', page: '3' }, keepSnapshots: 7, enabled: true }],
        maxConcurrentSyncs: 5,
        maxConcurrentScrolls: 8,
        stepSeconds: 780,
        validation: 'strict',
      })
      expect(Object.keys(settings as object).sort()).toEqual(
        'auth alerts credentials endpoints entities maxConcurrentScrolls maxConcurrentSyncs name stepSeconds upstream validation'
          .split(' ')
          .sort(),
      )
    }
  })
})

it('names of functions have at most 64 characters, which is the limit of Lambda', () => {
  const name = 'n'.repeat(53)
  const names = synthesize({ name })
    .of('AWS::Lambda::Function')
    .flatMap(({ properties }) => properties.FunctionName ?? [])
  expect(names).toEqual([`${name}Sync-Publis`, `${name}Sync-Tables`])
})

const secretsOf = (name: string) =>
  statementsOf(name).filter(({ actions }) => actions.includes('secretsmanager:GetSecretValue'))

describe('permissions', () => {
  it('do not use managed policies', () => {
    for (const { properties } of bundle.of('AWS::IAM::Role'))
      expect(properties.ManagedPolicyArns).toBeUndefined()
  })

  const state = ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query']
  const read = ['s3:GetObject', 's3:ListBucket']
  const write = [...read, 's3:DeleteObject', 's3:PutObject']
  const secret = 'secretsmanager:GetSecretValue'
  const report = ['events:PutEvents', 'lambda:InvokeFunction']
  const wake = 'states:SendTaskSuccess'
  const start = ['states:StartExecution', 'states:StopExecution']
  it.each<[name: string, ...actions: string[]]>([
    ['Worker', ...state, 'dynamodb:UpdateItem', wake, ...report, ...write, secret],
    ['Publisher', 'dynamodb:GetItem', 'dynamodb:Query', ...read, 's3:PutObject'],
    ['Compare', ...report, ...write],
    ['Proxy', 'dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', secret],
    ['SyncApi', ...state, 'dynamodb:UpdateItem', 'dynamodb:BatchGetItem', ...read, wake, ...start],
    ['OpenApi'],
    ['Freshness', ...state, 'dynamodb:BatchGetItem', ...read, 'events:PutEvents', 'sns:Publish', wake],
  ])('give %s what it needs and nothing else', (name, ...expected) => {
    // Every function writes logs, and leaves a network that is removed.
    const actions = actionsOf(name).filter((action) => !/^(?:logs|ec2):/.test(action))
    expect(new Set(actions)).toEqual(new Set(expected))
  })

  it('name every action, without wildcards', () => {
    const actions = permissions(bundle).flatMap(({ actions }) => actions)
    expect(actions.filter((action) => action.includes('*'))).toEqual([])
  })

  it('let only the sync API stop executions', () => {
    const stops = permissions(bundle).filter(({ actions }) => actions.includes('states:StopExecution'))
    expect(stops).toHaveLength(1)
    expect(JSON.stringify(stops[0]?.resources)).toContain('":execution:"')
  })

  it('let only the worker, the sync API and the freshness check wake executions, of the state machine', () => {
    const wakes = permissions(bundle).filter(({ actions }) => actions.includes('states:SendTaskSuccess'))
    expect(wakes).toHaveLength(3)
    const machine = bundle.only('AWS::StepFunctions::StateMachine').id
    // The other stacks import the ARN from the Sync stack.
    for (const { resources } of wakes)
      expect(JSON.stringify(resources)).toMatch(RegExp(`Ref(":")?${machine}`))
  })

  it('name every resource, except where its name is not known in advance', () => {
    const allowed = [
      // Names of objects under the prefixes of Longshore.
      [/^s3:(Get|Delete)Object$/, /\/snapshots\/\*"/],
      [/^s3:DeleteObject/, /\/(?:snapshots|changes)\/\*\/latest\.json"/],
      [
        /^s3:PutObject$/,
        /\/(?:snapshots|changes)\/\*(\.ndjson\.gz|\/(schema\*|check-\*|proposal-\*\.json|[a-z]+\.json))"/,
      ],
      [/^s3:GetObject$/, /\/(?:snapshots|changes|iceberg)\/\*(?:\/[a-z-]+|\.metadata)\.json\*"/],
      [/^s3:(Get|Put)Object$/, /\/tables\/\*"/],
      [/^s3:(Get|Delete)Object$/, /\/changes\/\*"/],
      [/^s3:(Get|Put|Delete)Object$/, /\/iceberg\/\*"/],
      // Tables of the database that only this function changes.
      [/^glue:(Get|Create|Update|Delete)Table$/, /:table\/longshore_snapshots_tables\/\*"/],
      // Interfaces of a network that was removed. The function's own code is denied it.
      [/^ec2:(Describe|Delete)NetworkInterfaces?$/, /^"\*"$/],
      // Names of executions.
      [/^states:StopExecution$/, /":execution:",.*":\*"/],
      // Secrets Manager appends six characters to the name of a secret.
      [/^secretsmanager:GetSecretValue$/, /^[^*]*-\?{6}"/],
      // Log delivery has no resource level (Step Functions, "Logging using CloudWatch Logs").
      [/^logs:(\w+LogDelivery|ListLogDeliveries|\w+ResourcePolic\w+|DescribeLogGroups)$/, /^"\*"$/],
    ] as const
    const isAllowed = (actions: readonly string[], resource: string) =>
      allowed.some(([of, on]) => on.test(resource) && actions.every((action) => of.test(action)))
    const unexpected = permissions(bundle).flatMap(({ actions, resources, policy }) =>
      resources
        .map((resource) => JSON.stringify(resource))
        .filter((resource) => /[*?]/.test(resource) && !isAllowed(actions, resource))
        .map((resource) => ({ policy, actions, resource })),
    )
    expect(unexpected).toEqual([])
  })

  it('let the proxy read the secret of each area, but no snapshots or executions', () => {
    expect(secretsOf('Proxy')).toHaveLength(3)
    expect(actionsOf('Proxy').filter((action) => /^(s3|states|events):/.test(action))).toEqual([])
  })

  it('let the worker read only the secret of the documents area', () => {
    const secrets = secretsOf('Worker')
    expect(secrets).toHaveLength(1)
    expect(JSON.stringify(secrets[0]?.resources)).toContain('/credentials-??????')
  })

  it('let the sync API write no objects and read no secrets', () => {
    const actions = actionsOf('SyncApi')
    expect(actions).toContain('states:StartExecution')
    expect(actions).toContain('s3:GetObject')
    expect(actions.filter((action) => /^(s3:(Put|Delete)|secretsmanager:)/.test(action))).toEqual([])
    const readable = statementsOf('SyncApi').filter(({ actions }) => actions.includes('s3:GetObject'))
    expect(JSON.stringify(readable).match(/(?<=\/)\w+(?=\/\*)/g)).toEqual(['snapshots', 'changes', 'iceberg'])
  })

  it('let only worker and comparison invoke the publisher, and nothing else', () => {
    const [publisher, ...callers] = ['Publisher', 'Worker', 'Compare'].map((name) =>
      functions.find(({ id }) => id.startsWith(name)),
    )
    const invoke = permissions(bundle).filter(({ resources }) =>
      JSON.stringify(resources).includes(`"${publisher?.id}"`),
    )
    expect(invoke.map(({ policy, actions }) => [policy.replace(/Role.*/, ''), actions])).toEqual([
      ['Worker', ['lambda:InvokeFunction']],
      ['Compare', ['lambda:InvokeFunction']],
    ])
    for (const caller of callers)
      expect(caller?.properties.Environment.Variables.PUBLISHER_FUNCTION_NAME).toEqual({ Ref: publisher?.id })
  })

  it('let no role delete a version, a table of DynamoDB, a bucket or a secret', () => {
    const allowed = permissions(bundle).filter(({ effect }) => effect === 'Allow')
    const all = allowed.flatMap(({ actions }) => actions)
    const deletes = all.filter((action) =>
      /Delete(?!Item$|Object$|LogDelivery$|NetworkInterface$)/.test(action),
    )
    expect(deletes).toEqual(['glue:DeleteTable'])
  })

  it('let services act for this account only', () => {
    for (const id of ['MachineRole', 'SchedulerRole']) {
      const role = bundle.of('AWS::IAM::Role').find((each) => each.id.startsWith(id))
      expect(role?.properties.AssumeRolePolicyDocument.Statement[0].Condition).toEqual({
        StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
      })
    }
  })
})

describe('an existing secret', () => {
  it('is granted by its name with the suffix of Secrets Manager, and by an ARN with and without it', () => {
    const resources = secretsOf('Proxy').flatMap((statement) => statement.resources)
    const arn = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:subscriptions'
    for (const name of [arn, `${arn}-??????`]) expect(resources).toContainEqual(name)
    expect(resources.map((each) => JSON.stringify(each))).toContainEqual(
      expect.stringContaining(':secret:shop/logistics-??????'),
    )
  })

  it('is named in the variables of the function', () => {
    const proxy = functions.find(({ id }) => id.startsWith('Proxy'))
    expect(proxy?.properties.Environment.Variables).toMatchObject({
      CREDENTIALS_SECRET_LOGISTICS: 'shop/logistics',
      CREDENTIALS_SECRET_SUBSCRIPTIONS: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:subscriptions',
    })
  })
})
