import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { commands } from '../../cli/commands/index.ts'
import { parse } from '../../cli/shell/arguments.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
const pages = globSync(['*.md', 'docs/*.md'], { cwd: project })
const textOf = (page: string) => readFileSync(join(project, page), 'utf8')
const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }

/** Why the parser rejects a command line; undefined if it does not. */
function mistakeIn(line: string): string | undefined {
  try {
    parse(commands, line.trim().split(/\s+/))
    return undefined
  } catch (error) {
    return `${line}: ${(error as Error).message}`
  }
}

it.each(pages)('%s shows only commands and flags of longshore that exist', (page) => {
  const lines = [...textOf(page).matchAll(/npx longshore ([^`\n#|<]+)/g)].map(([, words = '']) => words)
  const mistakes = lines.filter((line) => !line.startsWith('COMMAND')).map(mistakeIn)
  expect(mistakes.filter(Boolean)).toEqual([])
})

it.each(pages)('%s runs only npm scripts that exist', (page) => {
  const names = [...textOf(page).matchAll(/npm run (?:-s )?([\w-]+)/g)].map(([, name = '']) => name)
  expect(names.filter((name) => scripts[name] === undefined)).toEqual([])
})
