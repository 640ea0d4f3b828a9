import { globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { FunctionName } from '../../functions/http/lambda-functions.ts'

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))

/**
 * Kilobytes that each function uploads, lazy chunks included, and that it reads at a cold start: its entry and
 * everything that this imports statically. Bytes cost time at every cold start: raise a budget only for a reason.
 */
const budgets: Readonly<Record<FunctionName, { uploaded: number; start: number }>> = {
  proxy: { uploaded: 438, start: 250 },
  // The client of Step Functions is loaded when the first run that waits for a slot is woken, that of Lambda when the
  // first scroll has ended.
  worker: { uploaded: 803, start: 594 },
  // It alone adds up contents, checks how old they are, and keeps how a check ended.
  publisher: { uploaded: 571, start: 450 },
  // It invokes the publisher. The daily task records its passes in the state table.
  compare: { uploaded: 667, start: 538 },
  // It reads its files back with a Parquet reader of its own.
  tables: { uploaded: 855, start: 730 },
  'sync-api': { uploaded: 636, start: 340 },
  // It describes any endpoint of the configuration.
  openapi: { uploaded: 65, start: 65 },
  // It reads the objects of every entity and the causes of failures, publishes events and writes messages for three
  // kinds of receivers, whose refusals it reads. The client of Secrets Manager is loaded when one is sent. Nobody waits
  // for its cold start.
  look: { uploaded: 664, start: 484 },
}

/** The entry and all files that it and its imports import statically. */
function startFiles(folder: string): string[] {
  const files = new Set([join(folder, 'handler.mjs')])
  for (const file of files)
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/\b(?:from|import)\s*"\.\/([^"]+)"/g))
      files.add(join(folder, name))
  return [...files]
}

const kilobytes = (files: readonly string[]) =>
  files.reduce((sum, file) => sum + statSync(file).size, 0) / 1024

it('the build writes the folders of the listed functions, the console and the API reference, and no others', () => {
  expect(readdirSync(dist).toSorted()).toEqual(
    [...Object.keys(budgets), 'console', 'reference-page'].toSorted(),
  )
})

describe.each(Object.entries(budgets))('the function %s', (name, budget) => {
  const folder = join(dist, name)

  it(`uploads at most ${budget.uploaded} KB`, () => {
    const files = globSync('**/*.mjs', { cwd: folder }).map((file) => join(folder, file))
    expect(kilobytes(files)).toBeLessThanOrEqual(budget.uploaded)
  })

  it(`reads at most ${budget.start} KB at a cold start`, () => {
    expect(kilobytes(startFiles(folder))).toBeLessThanOrEqual(budget.start)
  })
})
