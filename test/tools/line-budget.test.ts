import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { lineBudget } from '../line-budget.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folders = [
  'bin',
  'lib',
  'functions',
  'operator',
  'cli',
  'console',
  'local',
  'scripts',
  'bench',
  'longshore.config.ts',
]
const files = execFileSync('git', ['ls-files', ...folders], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(?:tsx?|mjs|css|html)$/.test(file))
const linesOf = (file: string) => readFileSync(`${root}${file}`, 'utf8').split('\n').length - 1

/** The capability whose path fits best. */
function capabilityOf(file: string): string | undefined {
  const fitting = lineBudget.flatMap(({ capability, paths }) =>
    paths
      .filter((path) => file === path || (path.endsWith('/') && file.startsWith(path)))
      .map((path) => ({ capability, path })),
  )
  return fitting.toSorted((a, b) => b.path.length - a.path.length)[0]?.capability
}

const byCapability = Map.groupBy(files, capabilityOf)

/** More than this is lowered, so that the number stays what the capability costs. */
const slack = 150

describe('the budget of lines', () => {
  it.each(lineBudget.map(({ capability, lines }) => [capability, lines] as const))(
    'of %s is %d, and what it has',
    (capability, budget) => {
      const lines = (byCapability.get(capability) ?? []).reduce((sum, file) => sum + linesOf(file), 0)
      expect(lines, 'raise the number in test/line-budget.ts and say why in the commit').toBeLessThanOrEqual(
        budget,
      )
      expect(lines, 'lower the number in test/line-budget.ts').toBeGreaterThan(budget - slack)
    },
  )

  it('covers every file', () => {
    expect(byCapability.get(undefined) ?? []).toEqual([])
  })
})

it.each(['functions', 'lib', 'operator', 'cli', 'console', 'local', 'test', 'bench'])(
  '%s/README.md has at most 40 lines, and names files that exist',
  (folder) => {
    const page = readFileSync(`${root}${folder}/README.md`, 'utf8')
    expect(page.split('\n').length).toBeLessThanOrEqual(41)
    const linked = [...page.matchAll(/\]\(([^)#]+)/g)].map(([, path]) => path as string)
    expect(linked.length).toBeGreaterThan(2)
    for (const path of linked) expect(() => readFileSync(`${root}${folder}/${path}`)).not.toThrow()
  },
)
