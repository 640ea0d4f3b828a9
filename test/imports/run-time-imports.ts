import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

const project = fileURLToPath(new URL('../..', import.meta.url))

/** The HTTP client, and what records its responses for the publisher. */
export const httpClient = [
  'functions/upstream/exchange.ts',
  'functions/upstream/decode-response.ts',
  'functions/upstream/recorded-exchange.ts',
  'functions/worker/scroll/exchange-record.ts',
]

/** The text of a file of the repository. */
export const textOf = (file: string) => readFileSync(posix.join(project, file), 'utf8')

/** These files with all that they import when they run, and what those import. */
export function withImports(files: readonly string[]): string[] {
  const found = new Set(files)
  for (const file of found) for (const imported of runTimeImports(file)) found.add(imported)
  return [...found].toSorted()
}

function runTimeImports(file: string): string[] {
  const text = textOf(file)
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module
  const names = [
    ...staticImports
      .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
      .map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest, isType }) => (moduleRequest && !isType ? moduleRequest.value : [])),
    ),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ]
  return names.filter((name) => name.startsWith('.')).map((name) => posix.join(posix.dirname(file), name))
}
