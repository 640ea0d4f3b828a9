import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { checkImports } from '../imports/check-imports.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

function repositorySources() {
  const exclude = ['node_modules', 'dist', 'cdk.out', 'coverage']
  const files = globSync('**/*.{ts,tsx,mts}', { cwd: root, exclude })
  return Object.fromEntries(files.map((file) => [file, readFileSync(`${root}/${file}`, 'utf8')]))
}

it('the import rules hold for every file of the repository', () => {
  const sources = repositorySources()
  expect(Object.keys(sources).length).toBeGreaterThan(300)
  expect(checkImports(sources)).toEqual([])
})
