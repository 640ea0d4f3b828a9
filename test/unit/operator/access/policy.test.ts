import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commands } from '../../../../cli/commands/index.ts'
import { operations, type Role, roles } from '../../../../operator/access/operations.ts'
import { withOperationsTable } from '../../../../operator/access/operations-table.ts'
import { policyOf } from '../../../../operator/access/policy.ts'

const facts = {
  name: 'Shop',
  stateMachineArn: 'arn:aws-cn:states:cn-north-1:111122223333:stateMachine:Sync',
  bucket: 'snapshots-bucket',
  table: 'state-table',
  secretIds: ['arn:aws-cn:secretsmanager:cn-north-1:111122223333:secret:keys-AbCdEf', 'own'],
  logGroups: ['ShopSync-WorkerLogs'],
  apiId: 'a1b2c3',
  schedulerRole: 'ShopSync-SchedulerRole',
  encryptionKeyArn: undefined,
  previousEncryptionKeyArns: [],
}
const actionsOf = (role: Role) => policyOf(role, facts).Statement.flatMap(({ Action }) => Action)

describe('the policy of operators', () => {
  it('has a row for every command that uses AWS', () => {
    const withoutAws = ['init', 'clock']
    const rows = operations.map(({ name }) => name)
    const missing = commands
      .map(({ name }) => name)
      .filter((name) => !withoutAws.some((one) => name.startsWith(one)) && !rows.includes(name))
    expect(missing).toEqual([])
  })

  it('lets each role do what the previous one may', () => {
    for (const [index, role] of roles.slice(1).entries()) {
      expect(actionsOf(role)).toEqual(expect.arrayContaining(actionsOf(roles[index] ?? 'view')))
    }
  })

  it('lets view only read, without the credentials', () => {
    const verbs = actionsOf('view').map((action) => action.split(':')[1] ?? '')
    const readers = /^(Describe|Get|BatchGet|List|Query|Filter)/
    expect(verbs.filter((verb) => !readers.test(verb) && verb !== 'Decrypt')).toEqual([])
    expect(verbs).not.toContain('GetSecretValue')
  })

  it('reads and writes the credentials only as administer', () => {
    const secrets = /^secretsmanager:(Get|Put|Update)/
    expect(actionsOf('operate').filter((action) => secrets.test(action))).toEqual([])
    expect(actionsOf('administer').filter((action) => secrets.test(action))).toHaveLength(3)
  })

  it.each(['sync', 'republish', 'credentials set', 'console: start a sync'])(
    'lets %s write the run that it starts, and delete nothing',
    (operation) => {
      const started = operations.filter(({ name }) => name === operation)
      const actions = started.flatMap(({ grants }) => grants.flatMap((grant) => grant.actions))
      expect(actions).toContain('states:StartExecution')
      const writes = actions.filter((action) => /^dynamodb:(Put|Update|Delete)/.test(action))
      expect(writes).toEqual(['dynamodb:PutItem', 'dynamodb:UpdateItem'])
    },
  )

  it.each([
    ['Shop', 'ShopSync-*'],
    ['A-prefix-with-23-letters', 'A-prefix-with-23-lettersS*'],
    ['A-prefix-that-CloudFormation-shortens', 'A-prefix-that-CloudFormat*'],
  ])('names the schedules of %s as CloudFormation does, which shortens names', (name, schedules) => {
    const resources = policyOf('operate', { ...facts, name }).Statement.flatMap(({ Resource }) => Resource)
    expect(resources).toContain(`arn:aws-cn:scheduler:cn-north-1:111122223333:schedule/default/${schedules}`)
  })

  it("names the deployment's own resources in its partition, and never all resources", () => {
    const { Statement } = policyOf('administer', facts)
    const resources = Statement.flatMap(({ Resource }) => Resource)
    expect(resources.filter((arn) => !arn.startsWith('arn:aws-cn:'))).toEqual([])
    const arn = (service: string, resource: string) =>
      `arn:aws-cn:${service}:cn-north-1:111122223333:${resource}`
    const secret = arn('secretsmanager', 'secret')
    expect(resources.toSorted()).toEqual(
      [
        arn('cloudformation', 'stack/ShopStorage/*'),
        arn('cloudformation', 'stack/ShopSync/*'),
        arn('cloudformation', 'stack/ShopApi/*'),
        arn('cloudformation', 'stack/ShopMonitoring/*'),
        ...['Sync', 'Api', 'Monitoring'].map((stack) => arn('lambda', `function:Shop${stack}-*`)),
        arn('scheduler', 'schedule/default/ShopSync-*'),
        'arn:aws-cn:iam::111122223333:role/ShopSync-SchedulerRole',
        arn('logs', 'log-group:ShopSync-WorkerLogs'),
        arn('logs', 'log-group:ShopSync-WorkerLogs:*'),
        arn('cloudwatch', 'alarm:*'),
        arn('athena', 'workgroup/primary'),
        arn('execute-api', 'a1b2c3/*'),
        arn('dynamodb', 'table/state-table'),
        'arn:aws-cn:s3:::snapshots-bucket',
        'arn:aws-cn:s3:::snapshots-bucket/changes/*/latest.json',
        // What purge deletes.
        ...['snapshots', 'changes', 'tables', 'iceberg'].map(
          (folder) => `arn:aws-cn:s3:::snapshots-bucket/${folder}/*`,
        ),
        arn('glue', 'catalog'),
        arn('glue', 'database/shop_snapshots_tables'),
        arn('glue', 'table/shop_snapshots_tables/*'),
        arn('states', 'stateMachine:Sync'),
        arn('states', 'execution:Sync:*'),
        `${secret}:keys-AbCdEf`,
        `${secret}:keys-AbCdEf-??????`,
        `${secret}:own-??????`,
      ].toSorted(),
    )
  })

  it('names a secret that several areas share once, and no role if nothing is scheduled', () => {
    const { Statement } = policyOf('administer', {
      ...facts,
      secretIds: ['own', 'own'],
      schedulerRole: undefined,
    })
    const secrets = Statement.filter(({ Action }) => Action.includes('secretsmanager:GetSecretValue'))
    expect(secrets.map(({ Resource }) => Resource)).toEqual([
      ['arn:aws-cn:secretsmanager:cn-north-1:111122223333:secret:own-??????'],
    ])
    expect(Statement.flatMap(({ Action }) => Action)).not.toContain('iam:PassRole')
  })

  it('passes only the role of the schedules, and only to the scheduler', () => {
    const { Statement } = policyOf('operate', facts)
    expect(Statement.filter(({ Action }) => Action.includes('iam:PassRole'))).toEqual([
      {
        Effect: 'Allow',
        Action: ['iam:PassRole'],
        Resource: ['arn:aws-cn:iam::111122223333:role/ShopSync-SchedulerRole'],
        Condition: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
      },
    ])
  })

  it('contains permissions on a key only if the deployment has one', () => {
    expect(actionsOf('administer').filter((action) => action.startsWith('kms:'))).toEqual([])
    const onKey = (role: Role) =>
      policyOf(role, { ...facts, encryptionKeyArn: 'arn:key' }).Statement.filter(({ Resource }) =>
        Resource.includes('arn:key'),
      )
    const writing = ['kms:Decrypt', 'kms:GenerateDataKey']
    expect(onKey('view')).toEqual([{ Effect: 'Allow', Action: ['kms:Decrypt'], Resource: ['arn:key'] }])
    expect(onKey('operate')).toEqual([{ Effect: 'Allow', Action: writing, Resource: ['arn:key'] }])
    const previous = policyOf('operate', { ...facts, previousEncryptionKeyArns: ['arn:old'] }).Statement
    expect(previous.filter(({ Resource }) => Resource.includes('arn:old'))).toEqual([
      { Effect: 'Allow', Action: ['kms:Decrypt'], Resource: ['arn:old'] },
    ])
    expect(policyOf('view', facts).Version).toBe('2012-10-17')
  })
})

it('docs/permissions.md contains the table, which npm run check -- cli-reference generates', () => {
  const page = readFileSync(new URL('../../../../docs/permissions.md', import.meta.url), 'utf8')
  expect(page).toContain('| `repair-schedule` | operate |')
  expect(withOperationsTable(page)).toBe(page)
})
