import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ConfigurationInput } from '../../lib/config.ts'
import { type BrokenRule, brokenRules } from './compliance-rules.ts'
import { configurations } from './configurations.ts'
import { synthesize } from './synthesize.ts'

const page = readFileSync(new URL('../../docs/compliance.md', import.meta.url), 'utf8')
const [configurationOfPage = '', policyOfPage = ''] = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(
  ([, json = '']) => json,
)
const full = JSON.parse(configurationOfPage) as Partial<ConfigurationInput>
/** What is deployed is the same: only the options of rules differ. */
const { entities, alarmEmail, eraseWithinDays } = full
const base = { entities, alarmEmail, eraseWithinDays } as Partial<ConfigurationInput>

/** The rules and their resources, from all packs. */
function byRule(broken: readonly BrokenRule[]): Map<string, Set<string>> {
  const rules = new Map<string, Set<string>>()
  for (const { rule, resources } of broken)
    rules.set(rule, new Set([...(rules.get(rule) ?? []), ...resources]))
  return rules
}

const listed = (names: Iterable<string>) => [...names].map((name) => `\`${name}\``).join(', ')

describe('docs/compliance.md', () => {
  let remaining: readonly BrokenRule[]
  beforeAll(() => {
    remaining = brokenRules(full)
  })

  it('has a section for each rule that the full configuration does not satisfy, with its controls and resources', () => {
    const sections = new Map(
      page
        .split(/^### /m)
        .slice(1)
        .map((section) => [section.slice(0, section.indexOf('\n')), section.split(/^## /m)[0] ?? '']),
    )
    expect([...sections.keys()].toSorted()).toEqual([...byRule(remaining).keys()].toSorted())
    for (const [rule, resources] of byRule(remaining)) {
      const controls = new Map(
        remaining.filter((each) => each.rule === rule).map((each) => [each.pack, each.controls]),
      )
      const lines = [
        `Resources: ${listed([...resources].toSorted())}`,
        ...[...controls].map(([pack, ids]) => (ids ? `${pack}: ${ids}` : pack)),
      ]
      const section = sections.get(rule) ?? ''
      expect(section.split('\n').filter((line) => line.startsWith('- '))).toEqual(
        lines.map((line) => `- ${line}`),
      )
      const reason = section.split('\n').filter((line) => !line.startsWith('- '))
      expect(reason.slice(1).join('').length).toBeGreaterThan(30)
    }
  })

  it('says which option satisfies which rule', () => {
    const without = byRule(brokenRules(base))
    const options = ['encryptionKeyArn', 'network', 'tracing', 'maxConcurrentCalls'] as const
    const rows = options.map((option) => {
      const found = byRule(brokenRules({ ...base, [option]: full[option] }))
      const rules = [...without].flatMap(([rule, resources]) => {
        const satisfied = [...resources].filter((resource) => !found.get(rule)?.has(resource))
        if (satisfied.length === 0) return []
        const isWhole = satisfied.length === resources.size
        return [isWhole ? `\`${rule}\`` : `\`${rule}\` of ${listed(satisfied)}`]
      })
      return `| \`${option}\` | ${rules.toSorted().join(', ')} |`
    })
    expect(page.split('\n').filter((line) => rows.includes(line))).toEqual(rows)
    const others = byRule(
      brokenRules({
        ...base,
        logRetentionDays: full.logRetentionDays,
        domain: full.domain,
      } as Partial<ConfigurationInput>),
    )
    // Options of the page that no rule of these packs is about.
    expect(others).toEqual(without)
  })

  it('names the services that a policy for deployments needs', () => {
    const types = new Set(
      [...Object.values(configurations), full]
        .flatMap((configuration) => synthesize(configuration).resources)
        .map(({ type }) => type)
        .filter((type) => type !== 'AWS::CDK::Metadata'),
    )
    const services = Map.groupBy([...types].toSorted(), (type) => actionPrefix(type))
    const prefixes = [...services.keys()].toSorted()
    const rows = prefixes.map((prefix) => `| \`${prefix}\` | ${listed(services.get(prefix) ?? [])} |`)
    expect(page.split('\n').filter((line) => /^\| `[a-z0-9]+` \| `AWS::/.test(line))).toEqual(rows)
    const [ofServices, ofBootstrap] = JSON.parse(policyOfPage).Statement
    expect(ofServices.Action).toEqual(prefixes.map((prefix) => `${prefix}:*`))
    expect(ofBootstrap.Action).toEqual(['ssm:GetParameters'])
  })
})

/** Of the actions of a service, where it is not the lower-case name of its resource types. */
const otherPrefixes: Readonly<Record<string, string>> = {
  ApiGatewayV2: 'apigateway',
  StepFunctions: 'states',
}

function actionPrefix(type: string): string {
  const [, service = ''] = type.split('::')
  return otherPrefixes[service] ?? service.toLowerCase()
}
