import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { lineBudget } from '../line-budget.ts'
import { countLines } from '../lines.ts'

const root = join(import.meta.dirname, '../..')
const file = 'test/line-budget.ts'
const counted = countLines()

it.each([
  ['source', lineBudget.source + lineBudget.over],
  ['tests', lineBudget.tests],
  ['imported', lineBudget.imported],
] as const)('%s is at most the number in test/line-budget.ts, %d', (key, most) => {
  expect(counted[key], 'take lines away: `npm run lines` prints them by folder').toBeLessThanOrEqual(most)
  expect(counted[key]).toBeGreaterThanOrEqual(key === 'imported' ? 0 : 1)
})

function git(...args: readonly string[]): string {
  const { stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return stdout ?? ''
}

/** The numbers in a text of `test/line-budget.ts`. */
const numbersIn = (text: string) =>
  Object.keys(lineBudget).map((key) =>
    Number(RegExp(`\\b${key}: ([\\d_]+)`).exec(text)?.[1]?.replaceAll('_', '')),
  )

// The last change of the numbers, committed or not, with the one before.
const commits = git('log', '-2', '--format=%H', '--', file).split('\n').filter(Boolean)

// Skipped without Git, and where the file has no history, as in an archive.
it.skipIf(commits.length === 0)('no number is higher than in the commit before (needs Git)', () => {
  const versions = [
    readFileSync(join(root, file), 'utf8'),
    ...commits.map((hash) => git('show', `${hash}:${file}`)),
  ]
  expect(numbersIn(versions[0] as string)).toEqual(Object.values(lineBudget))
  const raised = versions
    .slice(1)
    .flatMap((before, index) =>
      numbersIn(versions[index] as string).filter((number, at) => number > (numbersIn(before)[at] as number)),
    )
  expect(raised).toEqual([])
})
