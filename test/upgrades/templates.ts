import { globSync, readFileSync } from 'node:fs'
import type { ConfigurationInput } from '../../lib/config.ts'
import type { DeployedStack } from '../infra/account/account.ts'
import { configurations } from '../infra/configurations.ts'
import { type Bundle, synthesize } from '../infra/synthesize.ts'

/** The stacks of a configuration, in the order in which CDK deploys them. */
export interface ConfiguredStacks {
  readonly configuration: Partial<ConfigurationInput>
  readonly stacks: readonly DeployedStack[]
}

/** By the title of the configuration. */
export type RecordedTemplates = Readonly<Record<string, ConfiguredStacks>>

const folder = new URL('recorded/templates/', import.meta.url)

/** The file of a release's templates. */
export const templatesFile = (version: string) => new URL(`${version}.json`, folder)

/** The templates of all releases. */
export function releasedTemplates(): [version: string, RecordedTemplates][] {
  return globSync('*.json', { cwd: folder })
    .toSorted()
    .map((file) => [file.replace('.json', ''), JSON.parse(readFileSync(new URL(file, folder), 'utf8'))])
}

export const stacksOf = ({ templates }: Pick<Bundle, 'templates'>): DeployedStack[] =>
  Object.entries(templates).map(([stack, text]) => [stack, JSON.parse(text)])

/** The templates of today, as JSON with one line per stack. The hash of the code is not part of them. */
export function renderedTemplates(): string {
  const rows = Object.entries(configurations).map(([title, configuration]) => {
    const stacks = stacksOf(synthesize(configuration)).map((stack) => JSON.stringify(stack, withoutCode))
    return `${JSON.stringify(title)}: {"configuration": ${JSON.stringify(configuration)}, "stacks": [\n${stacks.join(',\n')}\n]}`
  })
  return `{\n${rows.join(',\n')}\n}\n`
}

const withoutCode = (key: string, value: unknown) => (key === 'S3Key' ? 'code.zip' : value)
