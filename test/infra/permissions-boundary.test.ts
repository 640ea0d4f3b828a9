import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { ConfigurationInput } from '../../lib/config.ts'
import { markdownTable } from '../../operator/text/generated-tables.ts'
import { releasedTemplates } from '../upgrades/templates.ts'
import type { DeployedStack } from './account/account.ts'
import { complete, configurations } from './configurations.ts'
import { permissions, synthesize } from './synthesize.ts'

const boundaries = (permissionsBoundary?: string) =>
  synthesize({
    entities: [{ name: 'CL', schedule: 'rate(6 hours)' }],
    ...(permissionsBoundary && { permissionsBoundary }),
  })
    .of('AWS::IAM::Role')
    .map(({ properties }) => properties.PermissionsBoundary)

describe('a permissions boundary', () => {
  it('is set on no role by default', () => expect(boundaries().filter(Boolean)).toEqual([]))

  it.each([
    [
      'by its ARN',
      'arn:aws:iam::123456789012:policy/teams/shop',
      /^"arn:aws:iam::123456789012:policy\/teams\/shop"$/,
    ],
    ['by its name', 'shop-boundary', /":iam::".*AccountId.*":policy\/shop-boundary"/],
  ])('is set on every role, %s', (_how, nameOrArn, expected) => {
    const found = boundaries(nameOrArn)
    expect(found.length).toBeGreaterThanOrEqual(6)
    for (const boundary of found) expect(JSON.stringify(boundary)).toMatch(expected)
  })
})

const page = new URL('../../docs/compliance.md', import.meta.url)

const { encryptionKeyArn, network } = complete

/** What needs more actions than a configuration without Athena does. */
const options: Readonly<Record<string, Partial<ConfigurationInput>>> = {
  'every configuration': { athena: false },
  'unless `athena` is `false`': {},
  '`encryptionKeyArn`': { encryptionKeyArn },
  '`eraseWithinDays`': { eraseWithinDays: 30 },
  '`network`': { network },
  '`tracing`': { tracing: true },
}

const entities = [{ name: 'CL', schedule: 'rate(6 hours)' }]

const actionsIn = (statements: readonly { readonly effect: string; readonly actions: readonly string[] }[]) =>
  statements.filter(({ effect }) => effect === 'Allow').flatMap(({ actions }) => actions)
const actionsOf = (configuration: Partial<ConfigurationInput>) =>
  actionsIn(permissions(synthesize({ entities, ...configuration })))

/** The action's first release. The templates of releases are recorded. */
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
const policiesOf = (stacks: readonly DeployedStack[]) =>
  stacks.flatMap(([, { Resources }]) =>
    Object.values(Resources).filter(({ Type }) => Type === 'AWS::IAM::Policy'),
  )
const released = releasedTemplates().map(([release, recorded]) => {
  const policies = Object.values(recorded).flatMap(({ stacks }) => policiesOf(stacks))
  return { release, text: JSON.stringify(policies) }
})
const sinceOf = (action: string) =>
  released.find(({ text }) => text.includes(`"${action}"`))?.release ?? version

it('docs/compliance.md lists the actions that a boundary must allow, by option and first release', async () => {
  const releases = [...new Set([...released.map(({ release }) => release), version])]
  const listed = new Set<string>()
  const rows = Object.entries(options).map(([option, configuration]) => {
    const added = new Set(actionsOf(configuration).filter((action) => !listed.has(action)))
    for (const action of added) listed.add(action)
    const of = (release: string) => [...added].filter((action) => sinceOf(action) === release).toSorted()
    return [
      option,
      ...releases.map((release) =>
        of(release)
          .map((action) => `\`${action}\``)
          .join(', '),
      ),
    ]
  })
  const needed = Object.values(configurations).flatMap(actionsOf)
  expect(needed.filter((action) => !listed.has(action))).toEqual([])
  const table = markdownTable(['needed by', ...releases.map((release) => `since ${release}`)], rows)
  const text = readFileSync(page, 'utf8').replace(
    /(?<=generates this table -->\n).*?(?=<!-- end -->)/s,
    () => `\n${table}\n\n`,
  )
  await expect(text).toMatchFileSnapshot(fileURLToPath(page))
})
