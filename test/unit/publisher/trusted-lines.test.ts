import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { describe, expect, it } from 'vitest'

const project = fileURLToPath(new URL('../../..', import.meta.url))
const textOf = (file: string) => readFileSync(posix.join(project, file), 'utf8')
const linesIn = (file: string) => textOf(file).split('\n').length - 1
const folderOf = (file: string) => file.split('/').slice(0, 2).join('/')
const linesOf = (files: readonly string[]) => files.reduce((sum, file) => sum + linesIn(file), 0)

/** The files of the repository that a file imports when it runs. */
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

/** These files with all that they import, and what those import. */
function withImports(files: readonly string[]): string[] {
  const found = new Set(files)
  for (const file of found) for (const imported of runTimeImports(file)) found.add(imported)
  return [...found].toSorted()
}

const deciding = withImports(globSync('functions/publisher/check/*.ts', { cwd: project }))
const bundle = withImports(['functions/publisher/handler.ts'])
const client = withImports([
  'functions/upstream/exchange.ts',
  'functions/upstream/decode-response.ts',
  'functions/upstream/recorded-exchange.ts',
  'functions/worker/scroll/exchange-record.ts',
])

describe('what the proof of a snapshot rests on', () => {
  const page = textOf('docs/proof.md')
  const counts = [deciding, bundle, client].map((files) => linesOf(files).toLocaleString('en'))
  const [inCheck, inBundle, inClient] = counts

  it(`has ${inCheck} lines that decide, at most 1,500`, () => {
    expect(linesOf(deciding)).toBeLessThanOrEqual(1_500)
    expect(bundle).toEqual(expect.arrayContaining(deciding))
  })

  it(`has ${inBundle} lines in the publisher, at most 3,500`, () => {
    expect(linesOf(bundle)).toBeLessThanOrEqual(3_500)
  })

  it('runs no code of the worker, of the HTTP client or of the split into documents', () => {
    const folders = ['functions/publisher', 'functions/runtime', 'functions/state']
    expect([...new Set(bundle.map(folderOf))]).toEqual(folders)
  })

  it('is listed in docs/proof.md with its lines', () => {
    const rows = [...Map.groupBy(bundle, folderOf)].map(([folder, files]) => {
      const listed = files.map((file) => `${file.slice(folder.length + 1, -'.ts'.length)} ${linesIn(file)}`)
      return `| \`${folder}\` | ${listed.join(', ')} |`
    })
    expect(page.match(/^\| `functions\/.*$/gm)).toEqual(rows)
    expect(page.match(/^- the \w.*? lines.*?(?=, which| \()/gm)).toEqual([
      `- the HTTP client: ${inClient} lines`,
      `- the publisher: ${inBundle} lines, of which ${inCheck} decide`,
    ])
  })
})
