import { dirname, join, relative, sep } from 'node:path'
import { isInstalled, projectFolder } from '../../lib/project.ts'

export interface InitialEntity {
  readonly name: string
  readonly schedule: string
  readonly timezone?: string
}

/** The keys of the configuration that `longshore init` writes. */
export interface InitialConfiguration {
  readonly name?: string
  readonly upstream: { readonly baseUrl: string; readonly headerPrefix: string; readonly account?: string }
  readonly entities: readonly InitialEntity[]
}

const library = join(projectFolder, 'lib/config.ts')

const packageName = '@longshore/longshore'

/** The text of a configuration file: JSON for a `.json` file, otherwise a module. */
export function configurationText(file: string, configuration: InitialConfiguration): string {
  if (file.endsWith('.json')) return `${JSON.stringify(configuration, null, 2)}\n`
  const { name, upstream, entities } = configuration
  return `${[
    `import { defineConfig } from ${quoted(importPath(file))}`,
    '',
    '// docs/configuration.md lists every key with its default; `npx cdk synth` reports every error.',
    'export default defineConfig({',
    ...(name === undefined ? [] : [`  name: ${quoted(name)},`]),
    '  upstream: {',
    `    baseUrl: ${quoted(upstream.baseUrl)},`,
    `    headerPrefix: ${quoted(upstream.headerPrefix)},`,
    ...(upstream.account === undefined ? [] : [`    account: ${quoted(upstream.account)},`]),
    '  },',
    ...(entities.length === 0 ? ['  entities: [],'] : ['  entities: [', ...entities.map(entityLine), '  ],']),
    '})',
  ].join('\n')}\n`
}

function entityLine(entity: InitialEntity): string {
  const members = Object.entries(entity).map(([key, value]) => `${key}: ${quoted(String(value))}`)
  return `    { ${members.join(', ')} },`
}

function importPath(file: string): string {
  if (isInstalled) return packageName
  const path = relative(dirname(file), library).split(sep).join('/')
  return path.startsWith('.') ? path : `./${path}`
}

const quoted = (text: string) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`
