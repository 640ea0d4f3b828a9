import { globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))

/**
 * KB that each function may upload, lazy chunks included, and that its start may read at once: its entry with all
 * that is imported statically. A start costs about 1 ms for 10 KB, so whoever raises one of these says why.
 */
const budgets = {
  proxy: { uploaded: 430, start: 235 },
  sync: { uploaded: 610, start: 480 },
  'sync-api': { uploaded: 575, start: 275 },
  description: { uploaded: 40, start: 40 },
  freshness: { uploaded: 390, start: 240 },
} as const satisfies Record<string, { uploaded: number; start: number }>

/** The entry and what it and its imports import statically; `import(` is what waits. */
function startFiles(folder: string, name = 'handler.mjs', seen = new Set<string>()): string[] {
  if (seen.has(name)) return []
  seen.add(name)
  const file = join(folder, name)
  const imports = readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*"\.\/([^"]+)"/g)
  return [file, ...[...imports].flatMap(([, next = '']) => startFiles(folder, next, seen))]
}

const kilobytes = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + statSync(file).size, 0) / 1024

it('every built function has a budget', () => {
  expect(readdirSync(dist).toSorted()).toEqual(Object.keys(budgets).toSorted())
})

describe.each(Object.entries(budgets))('the function %s', (name, budget) => {
  const folder = join(dist, name)

  it(`uploads at most ${budget.uploaded} KB`, () => {
    const files = globSync('**/*.mjs', { cwd: folder }).map((file) => join(folder, file))
    expect(kilobytes(files)).toBeLessThanOrEqual(budget.uploaded)
  })

  it(`reads at most ${budget.start} KB when it starts`, () => {
    expect(kilobytes(startFiles(folder))).toBeLessThanOrEqual(budget.start)
  })
})
