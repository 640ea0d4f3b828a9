import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { lambdaFunctions } from '../../functions/http/lambda-functions.ts'
import { writeBillOfMaterials, writeChecksums } from '../../scripts/package-contents.ts'

const notices = (folder: string) =>
  readFileSync(new URL(`../../dist/${folder}/THIRD-PARTY-NOTICES`, import.meta.url), 'utf8')

it.each([...lambdaFunctions, 'console', 'reference-page'])(
  '%s has the license of each package that it contains',
  (folder) => {
    const [, ...packages] = notices(folder).split(/^(?=\S+ \d+\.\d+\.\d+\S* \(.+\)$)/m)
    expect(packages.length).toBeGreaterThan(0)
    expect(packages.at(-1)?.length).toBeGreaterThan(500)
  },
)

it.each([
  ['proxy', '@aws-sdk/client-secrets-manager'],
  ['worker', '@aws-sdk/client-s3'],
  ['tables', 'hyparquet-writer'],
  ['tables', 'hyparquet'],
  ['tables', 'avsc'],
  ['console', 'preact'],
])('%s names %s', (folder, name) => expect(notices(folder)).toMatch(new RegExp(`^${name} \\d`, 'm')))

it('a function does not name what it does not contain', () => {
  expect(notices('proxy')).not.toMatch(/^(?:hyparquet-writer|avsc|preact|fast-check|vitest) /m)
})

it('the package has the checksums of what is built, and the packages that it contains', () => {
  const compiled = mkdtempSync(join(tmpdir(), 'longshore-compiled-'))
  onTestFinished(() => rmSync(compiled, { recursive: true }))
  cpSync(fileURLToPath(new URL('../../dist', import.meta.url)), join(compiled, 'dist'), { recursive: true })
  const read = (path: string) => readFileSync(join(compiled, path))
  writeChecksums(compiled)
  const lines = read('SHA256SUMS').toString().trim().split('\n')
  for (const name of lambdaFunctions) expect(lines.join('\n')).toContain(`  dist/${name}/handler.mjs`)
  for (const line of lines) {
    const [sum = '', file = ''] = line.split('  ')
    expect(createHash('sha256').update(read(file)).digest('hex')).toBe(sum)
  }

  const root = { name: '@longshore/longshore', version: '1.1.0' }
  writeBillOfMaterials(compiled, root)
  const { components, dependencies } = JSON.parse(read('sbom.cdx.json').toString())
  const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'))
  const locked = Object.entries<{ version?: string }>(lock.packages).map(
    ([path, { version }]) => `${path.replace(/^.*node_modules\//, '')} ${version}`,
  )
  const libraries = components.filter(({ type }: { type: string }) => type === 'library')
  expect(libraries.length).toBeGreaterThan(20)
  for (const { name, version } of libraries) expect(locked).toContain(`${name} ${version}`)
  const refs = components.map((component: { 'bom-ref': string }) => component['bom-ref'])
  expect(new Set(refs).size).toBe(refs.length)
  for (const { ref, dependsOn } of dependencies)
    expect([root.name, ...refs]).toEqual(expect.arrayContaining([ref, ...dependsOn]))
})
