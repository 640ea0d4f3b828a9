import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { httpClient, textOf, withImports } from '../../imports/run-time-imports.ts'

const project = fileURLToPath(new URL('../../..', import.meta.url))
const linesIn = (file: string) => textOf(file).split('\n').length - 1
const folderOf = (file: string) =>
  file
    .split('/')
    .slice(0, file.startsWith('stored/') ? 1 : 2)
    .join('/')
const linesOf = (files: readonly string[]) => files.reduce((sum, file) => sum + linesIn(file), 0)

const deciding = withImports(globSync('functions/publisher/check/**/*.ts', { cwd: project }))
const bundle = withImports(['functions/publisher/handler.ts'])
const client = withImports(httpClient)

describe('what the proof of snapshots and change sets rests on', () => {
  const page = textOf('docs/proof.md')
  const counts = [deciding, bundle, client].map((files) => linesOf(files).toLocaleString('en'))
  const [inCheck, inBundle, inClient] = counts

  it(`has ${inCheck} lines that decide, at most 1,500`, () => {
    expect(linesOf(deciding)).toBeLessThanOrEqual(1_500)
    expect(bundle).toEqual(expect.arrayContaining(deciding))
  })

  it(`has ${inBundle} lines in the publisher, at most 5,000`, () => {
    expect(linesOf(bundle)).toBeLessThanOrEqual(5_000)
  })

  it('runs no code of the worker, of the HTTP client or of the split into documents', () => {
    const folders = ['functions/publisher', 'functions/runtime', 'stored']
    expect([...new Set(bundle.map(folderOf))]).toEqual(folders)
  })

  it('is listed in docs/proof.md with its lines', () => {
    const rows = [...Map.groupBy(bundle, folderOf)].map(([folder, files]) => {
      const listed = files.map((file) => `${file.slice(folder.length + 1, -'.ts'.length)} ${linesIn(file)}`)
      return `| \`${folder}\` | ${listed.join(', ')} |`
    })
    expect(page.match(/^\| `(?:functions\/|stored`).*$/gm)).toEqual(rows)
    expect(page.match(/^- the \w.*? lines.*?(?=, which| \()/gm)).toEqual([
      `- the HTTP client: ${inClient} lines`,
      `- the publisher: ${inBundle} lines, of which ${inCheck} decide`,
    ])
  })
})
