import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { exitAtInterrupt } from '../../../operator/interrupts.ts'
import { type BugName, plantedBugs } from './planted-bugs.ts'
import { seedThatFinds } from './search.ts'

/**
 * `npm run plants [-- NAME...]`: finds a seed for each planted bug, or for the named ones, and writes it into its
 * table. Run it when the scenarios have changed, which makes every seed a different one. With `--outside-publisher`,
 * draws bugs instead, and tells which of them harm readers.
 */
const tables = globSync(fileURLToPath(new URL('*-bugs.ts', import.meta.url)))
exitAtInterrupt()
const named = process.argv.slice(2) as BugName[]
if (process.argv.includes('--outside-publisher')) await import('./outside-publisher.ts')
else
  for (const name of named.length > 0 ? named : (Object.keys(plantedBugs) as BugName[])) {
    const startedAt = performance.now()
    const seed = await seedThatFinds(name)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    console.log(`${name}: ${seed ?? 'NOT FOUND'} (${seconds} s)`)
    if (seed === undefined) process.exitCode = 1
    else writeSeed(name, seed)
  }

/** The first seed after the name is that of the row. Throws if no table has the row. */
function writeSeed(name: BugName, seed: number): void {
  const row = new RegExp(String.raw`^(  '${name}': \{.*?^    seed: )\d+`, 'ms')
  const table = tables.find((path) => row.test(readFileSync(path, 'utf8')))
  if (!table) throw new Error(`No table of planted bugs has a row '${name}' with a seed.`)
  writeFileSync(table, readFileSync(table, 'utf8').replace(row, `$1${seed}`))
}
