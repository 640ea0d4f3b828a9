import { execFileSync } from 'node:child_process'
import { globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { FunctionName } from '../../functions/lambda-functions.ts'

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))

/**
 * KB that each function may upload, lazy chunks included, and that its start may read at once: its entry with all
 * that is imported statically. A start costs about 1 ms for 10 KB, so whoever raises one of these says why.
 */
const budgets = {
  proxy: { uploaded: 395, start: 235 },
  worker: { uploaded: 570, start: 480 },
  'sync-api': { uploaded: 535, start: 275 },
  openapi: { uploaded: 40, start: 40 },
  freshness: { uploaded: 345, start: 240 },
} as const satisfies Record<FunctionName, { uploaded: number; start: number }>

/** The entry and what it and its imports import statically; `import(` is what waits. */
function startFiles(folder: string, name = 'handler.mjs', seen = new Set<string>()): string[] {
  if (seen.has(name)) return []
  seen.add(name)
  const file = join(folder, name)
  return [file, ...imports(file, 'static').flatMap((next) => startFiles(folder, next, seen))]
}

const importPatterns = {
  static: /\b(?:from|import)\s*"\.\/([^"]+)"/g,
  any: /\b(?:from|import)[\s(]*"\.\/([^"]+)"/g,
} as const

const imports = (file: string, kind: keyof typeof importPatterns = 'any') =>
  [...readFileSync(file, 'utf8').matchAll(importPatterns[kind])].map(([, name = '']) => name)

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
    expect(startFiles(folder)).toEqual([join(folder, 'handler.mjs')])
    expect(kilobytes(startFiles(folder))).toBeLessThanOrEqual(budget.start)
  })

  it('has the files that others of it load, and no more', () => {
    const files = globSync('*.mjs', { cwd: folder })
    const loaded = files.flatMap((file) => imports(join(folder, file)))
    expect(new Set(files)).toEqual(new Set(['handler.mjs', ...loaded]))
  })

  it('finds in each file what others import from it', () => {
    // A name that is missing is a SyntaxError, before anything runs. What then fails for want of a deployment is no matter.
    const script = `
      for (const file of ${JSON.stringify(globSync('*.mjs', { cwd: folder }))})
        await import('${pathToFileURL(folder).href}/' + file).catch((error) => {
          if (error instanceof SyntaxError) console.log(file, error.message)
        })`
    expect(
      execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }),
    ).toBe('')
  })
})
