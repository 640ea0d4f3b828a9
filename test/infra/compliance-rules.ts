import { AwsSolutionsChecks, HIPAASecurityChecks, NIST80053R5Checks, PCIDSS321Checks } from 'cdk-nag'
import type { ConfigurationInput } from '../../lib/config.ts'
import { synthesizeApp } from './synthesize.ts'

const packs = {
  'AWS Solutions': AwsSolutionsChecks,
  'NIST 800-53 R5': NIST80053R5Checks,
  'PCI DSS 3.2.1': PCIDSS321Checks,
  HIPAA: HIPAASecurityChecks,
} as const

export type PackName = keyof typeof packs

/** A rule of a pack that some resources do not satisfy. */
export interface BrokenRule {
  readonly pack: PackName
  /** Without the name of its pack, which differs for the same rule: `LambdaDLQ`. */
  readonly rule: string
  /** The ids of the controls of the pack that the rule is for; empty for AWS Solutions, which has none. */
  readonly controls: string
  /** `Storage/AccessLog` */
  readonly resources: readonly string[]
}

/** What the packs find in the stacks of a configuration. */
export function brokenRules(configuration: Partial<ConfigurationInput>): BrokenRule[] {
  return synthesizeApp(configuration, (app) =>
    Object.entries(packs).flatMap(([pack, Pack]) =>
      new Pack(app).validateScope(app).violations.map(({ ruleName, description, violatingResources }) => ({
        pack: pack as PackName,
        rule: nameOf(ruleName),
        controls: /\(Control IDs?: (.+)\)\.?$/.exec(description ?? '')?.[1] ?? '',
        resources: violatingResources.map(({ constructPath = '' }) => shortPath(constructPath)),
      })),
    ),
  )
}

const nameOf = (rule: string) => rule.replace(/\[.*$/s, '').replace(/^[\w.]+-/, '')

const shortPath = (path: string) =>
  path.replace(/^Longshore/, '').replace(/(?:\/DefaultPolicy|\/Function)?\/Resource$/, '')
