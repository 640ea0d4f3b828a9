import { expect, it } from 'vitest'
import type { ConfigurationInput } from '../../lib/config.ts'
import { stacksOf } from '../upgrades/templates.ts'
import { Account } from './account/account.ts'
import { configurations } from './configurations.ts'
import { synthesize } from './synthesize.ts'

type Change = Partial<ConfigurationInput>
type Entity = NonNullable<ConfigurationInput['entities']>[number]

const key = (id: string) => `arn:aws:kms:eu-west-1:123456789012:key/${id}`
const customer: Entity = { name: 'CL', schedule: 'rate(6 hours)' }
const base = { name: 'Longshore', entities: [customer] } satisfies Change

const network = { vpcId: 'vpc-0123456789abcdef0', subnetIds: ['subnet-0123456789abcdef0'] }
const domain = {
  name: 'longshore.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/1234abcd-12ab-34cd-56ef-1234567890ab',
}
const mutualTls = { truststoreUri: 's3://shop-truststore/callers.pem' }
const entity = (change: Partial<Entity>) => ({ entities: [{ ...customer, ...change }] })

/** Options that only functions read. Each test costs a synthesis, so they change at once. */
const settings: Change = {
  upstream: { baseUrl: 'http://127.0.0.1:4800', headerPrefix: 'X-SHOP', account: 'shop' },
  validation: 'structure',
  maxConcurrentSyncs: 2,
  maxConcurrentScrolls: 2,
  stepSeconds: 60,
}
const settingsOfEntity = entity({
  pageSize: 500,
  query: { _where: 'a=1' },
  idField: 'userId',
  keepSnapshots: 30,
  maxShrinkPercent: 5,
  allowEmpty: true,
  totalTolerancePercent: 2,
  partitions: { by: 'createdIn', count: 4 },
  schemaReport: true,
})

/** For each option, what a user may turn on or change. */
const options: Readonly<Record<keyof ConfigurationInput, readonly Change[]>> = {
  // Another name is another deployment.
  name: [],
  upstream: [settings],
  credentials: [
    { credentials: { documents: 'shop/documents' } },
    { credentials: { logistics: 'a', subscriptions: 'b', documents: 'c' } },
  ],
  endpoints: [{ endpoints: [{ path: '/api/oms/pvt/orders/{orderId}', area: 'orders' }] }],
  auth: [{ auth: { type: 'jwt', issuer: 'https://login.example.com/', audience: ['longshore'] } }],
  cors: [{ cors: ['https://app.example.com'] }],
  throttle: [{ throttle: { ratePerSecond: 5, burst: 10 } }],
  maxConcurrentCalls: [{ maxConcurrentCalls: 40 }],
  validation: [settings],
  athena: [{ athena: false }],
  entities: [{ entities: [] }, { entities: [customer, { name: 'ad_x-1', schedule: 'cron(30 3 * * ? *)' }] }],
  maxConcurrentSyncs: [settings],
  maxConcurrentScrolls: [settings],
  stepSeconds: [settings],
  eraseWithinDays: [{ eraseWithinDays: 30 }],
  encryptionKeyArn: [{ encryptionKeyArn: key('1234abcd-12ab-34cd-56ef-1234567890ab') }],
  previousEncryptionKeyArns: [{ previousEncryptionKeyArns: [key('abcd1234-12ab-34cd-56ef-1234567890ab')] }],
  permissionsBoundary: [{ permissionsBoundary: 'arn:aws:iam::123456789012:policy/teams/shop' }],
  alarmEmail: [{ alarmEmail: 'shop-operations@example.com' }],
  alerts: [{ alerts: [{ type: 'slack', url: 'shop/slack' }] }],
  tags: [{ tags: { team: 'shop' } }],
  logRetentionDays: [{ logRetentionDays: 90 }],
  tracing: [{ tracing: true }],
  network: [
    { network },
    { network: { ...network, functions: 'all' } },
    { network: { ...network, securityGroupIds: ['sg-0123456789abcdef0'] } },
  ],
  domain: [
    { domain },
    { domain: { ...domain, only: true } },
    { domain: { ...domain, only: true, mutualTls } },
  ],
  readers: [{ readers: [{ role: 'arn:aws:iam::210987654321:role/reports' }] }],
}

const entityOptions: Readonly<Record<Exclude<keyof Entity, 'name'>, readonly Change[]>> = {
  schedule: [entity({ schedule: 'cron(30 3 * * ? *)' })],
  timezone: [entity({ timezone: 'Europe/Lisbon' })],
  pageSize: [settingsOfEntity],
  query: [settingsOfEntity],
  idField: [settingsOfEntity],
  keepSnapshots: [settingsOfEntity],
  maxShrinkPercent: [settingsOfEntity],
  allowEmpty: [settingsOfEntity],
  totalTolerancePercent: [settingsOfEntity],
  totals: [entity({ totals: 'ignore' })],
  enabled: [entity({ enabled: false })],
  partitions: [settingsOfEntity],
  changes: [entity({ changes: false })],
  columns: [entity({ columns: ['id', 'email'] })],
  schemaReport: [settingsOfEntity],
  increments: [entity({ increments: { schedule: 'rate(5 minutes)' } })],
}

const stacksWith = (change: Change) => stacksOf(synthesize({ ...base, ...change }))

function expectThereAndBack(one: Change, other: Change): void {
  const account = new Account()
  for (const change of [one, other, one, other]) expect(account.deploy(stacksWith(change))).toEqual([])
}

const changes = new Set([...Object.values(options), ...Object.values(entityOptions)].flat())

it.each([...changes].map((change) => [JSON.stringify(change), change] as const))(
  'each option can be set and removed again: %s',
  (_, change) => {
    expectThereAndBack({}, change)
  },
)

const titles = Object.keys(configurations)
const pairs = titles.flatMap((one, index) => titles.slice(index + 1).map((other) => ({ one, other })))

it.each(pairs)('each configuration can be changed to each other: $one; $other', ({ one, other }) => {
  expectThereAndBack(
    { ...configurations[one], name: 'Longshore' },
    { ...configurations[other], name: 'Longshore' },
  )
})

it('reads no outputs of another stack, which needs a permission that restricted bootstraps do not grant', () => {
  for (const configuration of Object.values(configurations))
    expect(Object.values(synthesize({ ...configuration, name: 'Longshore' }).templates).join()).not.toContain(
      'Fn::GetStackOutput',
    )
})
