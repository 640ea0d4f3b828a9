import { beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, permissions, type Resource, synthesise } from './synthesise.ts'

let bundle: Bundle
let functions: readonly Resource[]
beforeAll(() => {
  bundle = synthesise({
    entities: [{ name: 'CL', schedule: 'rate(6 hours)', query: { _fields: 'id', page: 3 } }],
    credentials: {
      logistics: 'shop/logistics',
      subscriptions: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:subscriptions',
    },
  })
  functions = bundle.of('AWS::Lambda::Function')
})

const statementsOf = (start: string) =>
  permissions(bundle).filter(({ policy }) => policy.startsWith(`${start}Role`))
const actionsOf = (start: string) => statementsOf(start).flatMap(({ actions }) => actions)

describe('every function', () => {
  it('runs on Node 24 and arm64', () => {
    expect(functions).toHaveLength(5)
    for (const { properties } of functions) {
      expect(properties.Runtime).toBe('nodejs24.x')
      expect(properties.Architectures).toEqual(['arm64'])
      expect(properties.Handler).toBe('handler.handler')
    }
  })

  it('says why it has its memory and its time limit', () => {
    for (const { metadata, properties } of functions) {
      expect(metadata['Reasons']).toEqual({ memory: expect.any(String), timeLimit: expect.any(String) })
      expect(properties.MemorySize).toBeGreaterThanOrEqual(512)
    }
  })

  it('answers within 29 seconds if the API calls it', () => {
    const ofApi = functions.filter(({ stack }) => stack === 'LongshoreApi')
    expect(ofApi).toHaveLength(3)
    for (const { properties } of ofApi) expect(properties.Timeout).toBeLessThanOrEqual(29)
  })

  it('logs JSON to a group of its own', () => {
    const groups = functions.map(({ properties }) => properties.LoggingConfig.LogGroup.Ref)
    expect(new Set(groups).size).toBe(functions.length)
    for (const { properties } of functions) expect(properties.LoggingConfig.LogFormat).toBe('JSON')
  })

  it('has a role of its own that writes to its own log group only', () => {
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
        [
          'name',
          'upstream',
          'auth',
          'validation',
          'entities',
          'maxConcurrentSyncs',
          'maxConcurrentScrolls',
          'stepSeconds',
        ].sort(),
      )
    }
  })
})

describe('permissions', () => {
  it('come from no managed policy', () => {
    for (const { properties } of bundle.of('AWS::IAM::Role'))
      expect(properties.ManagedPolicyArns).toBeUndefined()
  })

  it('name every action', () => {
    const actions = permissions(bundle).flatMap(({ actions }) => actions)
    expect(actions.filter((action) => action.includes('*'))).toEqual([])
  })

  it('name every resource, except where AWS has no name beforehand', () => {
    const allowed = [
      // Objects have names of their own; the prefix is ours.
      { actions: /^s3:(Get|Put|Delete)Object$/, resource: /\/snapshots\/\*"/ },
      { actions: /^s3:(Get|Put)Object$/, resource: /\/tables\/\*"/ },
      // An execution's name is not known before it is started.
      { actions: /^states:StopExecution$/, resource: /":execution:",.*":\*"/ },
      // Secrets Manager ends an ARN in six characters of its own.
      { actions: /^secretsmanager:GetSecretValue$/, resource: /^[^*]*-\?{6}"/ },
      // The delivery of logs to CloudWatch knows no resources (Step Functions, «Logging using CloudWatch Logs»).
      {
        actions: /^logs:(\w+LogDelivery|ListLogDeliveries|\w+ResourcePolic\w+|DescribeLogGroups)$/,
        resource: /^"\*"$/,
      },
    ]
    const unforced = permissions(bundle).flatMap(({ actions, resources, policy }) =>
      resources
        .map((resource) => JSON.stringify(resource))
        .filter((resource) => /[*?]/.test(resource))
        .filter(
          (resource) =>
            !allowed.some(
              (each) => each.resource.test(resource) && actions.every((action) => each.actions.test(action)),
            ),
        )
        .map((resource) => ({ policy, actions, resource })),
    )
    expect(unforced).toEqual([])
  })

  it('let the proxy read the secret of each area and touch no snapshot and no execution', () => {
    const secrets = statementsOf('Proxy').filter(({ actions }) =>
      actions.includes('secretsmanager:GetSecretValue'),
    )
    expect(secrets).toHaveLength(3)
    expect(actionsOf('Proxy').filter((action) => /^(s3|states|events):/.test(action))).toEqual([])
  })

  it("let the worker read the documents' secret and no other", () => {
    const secrets = statementsOf('Worker').filter(({ actions }) =>
      actions.includes('secretsmanager:GetSecretValue'),
    )
    expect(secrets).toHaveLength(1)
    expect(JSON.stringify(secrets[0]?.resources)).toContain('Credentials')
  })

  it('let the sync API write no object and read no secret', () => {
    const actions = actionsOf('SyncApi')
    expect(actions).toContain('states:StartExecution')
    expect(actions).toContain('s3:GetObject')
    expect(actions.filter((action) => /^(s3:(Put|Delete)|secretsmanager:)/.test(action))).toEqual([])
  })

  it('let nobody delete a version, a table, a bucket or a secret', () => {
    const all = permissions(bundle).flatMap(({ actions }) => actions)
    expect(all.filter((action) => /Delete(?!Item$|Object$|LogDelivery$)/.test(action))).toEqual([])
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

describe('a secret of the owner’s', () => {
  it('is granted by its name with the ending that AWS adds, and by an ARN with and without it', () => {
    const resources = statementsOf('Proxy')
      .filter(({ actions }) => actions.includes('secretsmanager:GetSecretValue'))
      .flatMap((statement) => statement.resources)
    expect(resources).toContainEqual('arn:aws:secretsmanager:eu-west-1:123456789012:secret:subscriptions')
    expect(resources).toContainEqual(
      'arn:aws:secretsmanager:eu-west-1:123456789012:secret:subscriptions-??????',
    )
    expect(resources.map((each) => JSON.stringify(each))).toContainEqual(
      expect.stringContaining(':secret:shop/logistics-??????'),
    )
  })

  it('is what the function is told to read', () => {
    const proxy = functions.find(({ id }) => id.startsWith('Proxy'))
    expect(proxy?.properties.Environment.Variables).toMatchObject({
      CREDENTIALS_SECRET_LOGISTICS: 'shop/logistics',
      CREDENTIALS_SECRET_SUBSCRIPTIONS: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:subscriptions',
    })
  })
})
