import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { awsEnvironment } from '../../../local/embedded/environment.ts'
import {
  cdkCommand,
  deployCommand,
  describePlace,
  findDeployment,
  localDeployment,
  longshoreCommand,
  NotDeployed,
  notDeployedFix,
  outputReader,
  secretIdsOf,
} from '../../../operator/deployment/deployment.ts'
import { defaultInstancePath } from '../../../operator/deployment/local-address.ts'
import { failureOf } from '../../../operator/errors.ts'
import { serveStacks } from '../../integration/cli-account.ts'

const plain = { kind: 'stacks', config: undefined, name: undefined } as const
const named = { kind: 'stacks', config: 'a.ts', name: 'Shop' } as const
const local = { kind: 'local', path: defaultInstancePath } as const

it.each([
  [plain, 'npx --no-install longshore status'],
  [named, 'npx --no-install longshore status --config a.ts --name Shop'],
  [local, 'npx --no-install longshore --local status'],
  [{ kind: 'local', path: '/tmp/l.json' }, 'LONGSHORE_LOCAL=/tmp/l.json npx --no-install longshore status'],
  [
    { kind: 'local', path: "/tmp/it's/l.json" },
    String.raw`LONGSHORE_LOCAL='/tmp/it'\''s/l.json' npx --no-install longshore status`,
  ],
] as const)('a command line for %j selects the same deployment', (target, command) => {
  expect(longshoreCommand(target, 'status')).toBe(command)
})

it.each([
  [deployCommand(plain), 'npm run deploy'],
  [deployCommand(named), 'npm run deploy -- -c config=a.ts -c name=Shop'],
  [cdkCommand({ config: 'a.ts', name: undefined }, 'synth'), 'npm run synth -- -c config=a.ts'],
])('%s is the script for the same configuration', (command, expected) => expect(command).toBe(expected))

it.each([
  ['some', 'npm run deploy'],
  [
    'none',
    'is this the right account and region? If not, set AWS_PROFILE and AWS_REGION. If it is, deploy: npm run deploy',
  ],
] as const)('if %s of the stacks exist, the way to deploy them is named', (existing, fix) => {
  expect(notDeployedFix(plain, existing)).toBe(fix)
})

it.each([
  ['111122223333', 'account 111122223333, region eu-west-1'],
  [undefined, 'region eu-west-1'],
])('a place with the account %j is described', (account, text) => {
  expect(describePlace({ account, region: 'eu-west-1' })).toBe(text)
})

describe('an output of the stacks', () => {
  const stack = { status: 'CREATE_COMPLETE', outputs: { StateTableName: 'table', CredentialsSecretArn: 's' } }
  const read = outputReader('Shop', new Map([['ShopStorage', stack]]) as never, named)

  it('is read by the suffix of its stack', () => expect(read('Storage.StateTableName')).toBe('table'))

  it('of a stack that does not exist is not deployed', () => {
    expect(() => read('Api.ApiUrl')).toThrow(new NotDeployed('ShopApi is not deployed.'))
  })

  it('that is missing means an incomplete deployment', () => {
    let failure: unknown
    try {
      read('Storage.Other')
    } catch (error) {
      failure = failureOf(error)
    }
    expect(failure).toEqual({
      kind: 'problem',
      message: 'The stacks have no output Storage.Other. The deployment is incomplete.',
      fix: 'npm run deploy -- -c config=a.ts -c name=Shop',
    })
  })

  it('names the secret of every area that has none of its own', () => {
    expect(
      secretIdsOf({ credentials: { documents: 'own' }, endpoints: [{ area: 'orders' }] } as never, read),
    ).toEqual({ logistics: 's', subscriptions: 's', documents: 'own', orders: 's' })
  })
})

describe('the stacks of a configuration', () => {
  const outputs: Readonly<Record<string, Record<string, string>>> = {
    ShopStorage: { SnapshotBucketName: 'b', StateTableName: 't', CredentialsSecretArn: 's' },
    ShopSync: { SyncStateMachineArn: 'a' },
    ShopApi: { ApiUrl: 'u' },
  }
  const target = { kind: 'stacks', config: 'longshore.config.ts', name: 'Shop' } as const
  const found = async (existing: readonly string[]) => {
    const stacks = await serveStacks(Object.fromEntries(existing.map((name) => [name, outputs[name] ?? {}])))
    const variables = { ...awsEnvironment({}), AWS_ENDPOINT_URL: stacks.endpoint }
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
    onTestFinished(() => {
      vi.unstubAllEnvs()
      return stacks.close()
    })
    return findDeployment(target).catch(failureOf)
  }

  it('are a deployment by their outputs', async () => {
    expect(await found(Object.keys(outputs))).toMatchObject({
      kind: 'stacks',
      configuration: { name: 'Shop' },
      bucket: 'b',
      table: 't',
      apiUrl: 'u',
      stateMachineArn: 'a',
      secretIds: { logistics: 's' },
      log: { kind: 'groups', stacks: 'Shop' },
      now: expect.any(Function),
    })
  })

  it.each([
    [['ShopStorage'], 'ShopSync, ShopApi', /^npm run deploy/],
    [[], 'ShopStorage, ShopSync, ShopApi', /^is this the right account and region\?/],
  ])('are all required: %j', async (existing, missing, fix) => {
    expect(await found(existing)).toMatchObject({
      message: expect.stringMatching(`^Not deployed in .*region us-east-1: ${missing}\\.$`) as string,
      fix: expect.stringMatching(fix) as string,
    })
  })
})

it('a running npm start is a deployment with one secret and a log file', () => {
  const entity = { name: 'CL', schedule: 'rate(1 day)', timezone: 'UTC', enabled: true }
  const instance = {
    configuration: { entities: [entity, { ...entity, name: 'AD', enabled: false }], endpoints: [] },
    schedulesSince: '2026-11-26T10:00:00.000Z',
    secretId: 's',
    logFile: 'f',
    bucket: 'b',
    table: 't',
    apiUrl: 'u',
    stateMachineArn: 'a',
  }
  expect(localDeployment(instance as never)).toMatchObject({
    kind: 'local',
    bucket: 'b',
    table: 't',
    apiUrl: 'u',
    stateMachineArn: 'a',
    secretIds: { logistics: 's', subscriptions: 's', documents: 's' },
    log: { kind: 'file', path: 'f' },
    schedules: [{ entity: 'CL', starts: 'full', startsAt: Date.parse('2026-11-26T10:00:00Z') }],
  })
})
