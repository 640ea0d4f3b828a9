import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ConfigurationInput } from '../../lib/config.ts'
import { releasedTemplates, stacksOf } from '../upgrades/templates.ts'
import { Account, type DeployedStack } from './account/account.ts'
import { resourceType } from './account/resource-types.ts'
import { synthesize } from './synthesize.ts'

const cases = releasedTemplates().flatMap(([version, recorded]) =>
  Object.entries(recorded).map(([title, { configuration, stacks }]) => ({
    version,
    title,
    configuration,
    released: stacks,
    today: stacksOf(synthesize(configuration)),
  })),
)

const secret = 'AWS::SecretsManager::Secret'

const has = (type: string, stacks: readonly DeployedStack[]) =>
  stacks.some(([, { Resources }]) => Object.values(Resources).some(({ Type }) => Type === type))

/** Logical ids and names. */
const alarmsOf = (stacks: readonly DeployedStack[]) =>
  stacks.flatMap(([, { Resources }]) =>
    Object.entries(Resources).flatMap(([id, { Type, Properties }]) =>
      Type === 'AWS::CloudWatch::Alarm' ? [[id, String(Properties?.['AlarmName'])] as const] : [],
    ),
  )

/** Stateful resources that an upgrade would remove, or recreate elsewhere. */
const lost = (before: readonly DeployedStack[], after: readonly DeployedStack[]) => {
  const templates = new Map(after)
  return before.flatMap(([stack, { Resources }]) =>
    Object.entries(Resources).flatMap(([id, { Type }]) =>
      resourceType(Type).isStateful && templates.get(stack)?.Resources[id]?.Type !== Type
        ? [`${stack}.${id}`]
        : [],
    ),
  )
}

it('has the templates of every release (npm run check -- upgrades, once its heading in CHANGELOG.md has a date)', () => {
  const changelog = readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8')
  // Newest first.
  const released = [...changelog.matchAll(/^## (\d+\.\d+\.\d+) - /gm)].map(([, version]) => version).reverse()
  expect(released.length).toBeGreaterThan(0)
  expect(releasedTemplates().map(([version]) => version)).toEqual(released)
})

/** Options that 1.0.0 does not have. */
const withNewOptions = (configuration: Partial<ConfigurationInput>): Partial<ConfigurationInput> => ({
  ...configuration,
  tracing: true,
  alerts: [{ type: 'slack', url: 'shop/slack' }],
  eraseWithinDays: 30,
  previousEncryptionKeyArns: ['arn:aws:kms:eu-west-1:123456789012:key/abcd1234-12ab-34cd-56ef-1234567890ab'],
  entities: [
    { name: 'CL', schedule: 'rate(6 hours)', increments: { schedule: 'rate(5 minutes)' }, columns: ['id'] },
  ],
})

describe.each(cases)('version $version, $title', ({ released, today, configuration }) => {
  const monitoringFirst = [...released.filter(([stack]) => stack.endsWith('Monitoring')), ...released]

  it.each([
    ['stack by stack', released],
    ['with the stack Monitoring first', monitoringFirst],
  ])('can be upgraded to today’s version and back, %s', (_, back) => {
    const account = new Account()
    expect(account.deploy(released)).toEqual([])
    expect(account.deploy(today)).toEqual([])
    expect(account.deploy(back)).toEqual([])
  })

  it('has eight alarms after an upgrade: those that stay keep name and logical id', () => {
    const before = alarmsOf(released)
    const after = alarmsOf(today)
    expect(after).toHaveLength(8)
    const gone = before.filter(([id]) => !after.some(([other]) => other === id))
    const kept = before.filter((one) => !gone.includes(one))
    expect(after).toEqual(expect.arrayContaining(kept))
    const names = 'CredentialsRejected FreshnessUnknown PlatformErrors ServerErrors SyncNotStarted'.split(' ')
    expect(kept.map(([, name]) => name.split('-')[1])).toEqual(expect.arrayContaining(names))
  })

  it('can be rolled back from options that the release does not have', () => {
    const account = new Account()
    const newest = stacksOf(synthesize(withNewOptions(configuration)))
    for (const stacks of [released, today, newest, released]) expect(account.deploy(stacks)).toEqual([])
  })

  it('loses nothing in an upgrade, not even confirmed subscriptions', () => {
    expect(lost(released, today)).toEqual([])
  })

  it('can be upgraded again after it was rolled back', () => {
    const account = new Account()
    for (const stacks of [released, today, released]) expect(account.deploy(stacks)).toEqual([])
    // The named step of docs/deploy.md: 1.0.0 has no secret if every area has its own, so this one is retained.
    const isRetained = !has(secret, released)
    const refusals = account.deploy(today).map((refusal) => /credentials already exists$/.exec(refusal)?.[0])
    expect(refusals).toEqual(isRetained ? ['credentials already exists'] : [])
    if (isRetained) account.delete(secret)
    expect(account.deploy(today)).toEqual([])
  })
})
