import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { commands } from '../../cli/commands/index.ts'
import { parse } from '../../cli/shell/parser.ts'
import { readArguments } from '../../local/arguments.ts'
import { checks } from '../../scripts/check.ts'
import { commandsOn, namesOn } from '../documented-commands.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
const pages = globSync(['*.md', 'docs/*.md', 'bench/*.md', 'examples/**/*.md'], { cwd: project })
const textOf = (page: string) => readFileSync(join(project, page), 'utf8')
const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }

interface CdkOptions {
  readonly [option: string]: { readonly alias?: unknown }
}

/** What `cdk` itself generates its parser from. */
const cdk = JSON.parse(textOf('node_modules/aws-cdk/lib/cli/cli-type-registry.json')) as {
  readonly globalOptions: CdkOptions
  readonly commands: Readonly<Record<string, { readonly options?: CdkOptions } | undefined>>
}

/** Why the parser rejects a command line; undefined if it does not. */
function errorIn(line: string): string | undefined {
  try {
    parse(commands, line.match(/'[^']*'|\S+/g) ?? [])
    return undefined
  } catch (error) {
    return `${line}: ${(error as Error).message}`
  }
}

it.each(pages)('%s shows only commands and options of longshore that exist', (page) => {
  const lines = commandsOn(textOf(page))
  const errors = lines.filter((line) => !/^(COMMAND|"\$@"|\$argv)/.test(line)).map(errorIn)
  expect(errors.filter(Boolean)).toEqual([])
})

const current = pages.filter((page) => page !== 'CHANGELOG.md')

it.each(current)('%s starts longshore where it is installed, and lets npx download nothing', (page) => {
  const text = textOf(page)
  const downloads = text.match(/npx (?!--no-install)[^`\n]*longshore(?!\.).*/g) ?? []
  expect(downloads.filter((line) => !line.includes('would download'))).toEqual([])
  const defined = text.match(/^ *longshore\(\) .*/gm) ?? []
  expect(defined.filter((line) => !line.endsWith('# in the checkout'))).toEqual([])
  const start = text.search(/^ *longshore /m)
  expect(start >= 0 && text.search(/longshore\(\) \{/) > start).toBe(false)
})

it.each(pages)('%s names only commands of longshore that exist', (page) => {
  const known = new Set([...commands.map(({ name }) => name), 'start', 'app'])
  expect(namesOn(textOf(page)).filter((name) => !known.has(name))).toEqual([])
})

it.each(pages)('%s starts npm start only with flags that exist', (page) => {
  const lines = [...textOf(page).matchAll(/npm start -- ([^`\n#|<]+)/g)].map(([, words = '']) => words.trim())
  const variables = { LONGSHORE_APP_KEY: 'key', LONGSHORE_APP_TOKEN: 'token' }
  for (const line of lines.filter((line) => !line.includes('…'))) {
    expect(() => readArguments(line.split(/\s+/), variables)).not.toThrow()
  }
})

it.each(pages)('%s runs only commands and flags of cdk that exist', (page) => {
  const lines = [
    ...[...textOf(page).matchAll(/npx cdk ([^`\n#|<]+)/g)].map(([, words = '']) => words),
    ...[...textOf(page).matchAll(/npm run deploy -- ([^`\n#|<]+)/g)].map(
      ([, words = '']) => `deploy ${words}`,
    ),
  ]
  expect(lines.flatMap(unknownToCdk)).toEqual([])
})

/** The command and the flags that `cdk` does not have. */
function unknownToCdk(line: string): string[] {
  const [name = '', ...words] = line.trim().split(/\s+/)
  const command = cdk.commands[name]
  if (!command) return [name]
  const options = { ...cdk.globalOptions, ...command.options }
  const known = Object.entries(options).flatMap(([option, { alias }]) => [
    `--${option}`,
    ...(typeof alias === 'string' ? [`-${alias}`] : []),
  ])
  return words.filter((word) => word.startsWith('-') && !known.includes(word))
}

it.each(pages)('%s runs only npm scripts that exist', (page) => {
  const calls = [...textOf(page).matchAll(/npm run (?:-s )?([\w-]+)(?: -- ([\w-]+))?/g)]
  const unknown = calls.filter(
    ([, name = '', check = 'NAME']) =>
      scripts[name] === undefined || (name === 'check' && check !== 'NAME' && !checks[check]),
  )
  expect(unknown.map(([call]) => call)).toEqual([])
})
