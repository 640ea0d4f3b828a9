import { writeFileSync } from 'node:fs'
import { firstSeedThatFinds, knownSeeds, plantSeedsFile, seedThatFinds } from './plant-search.ts'
import { type PlantName, plants } from './plants.ts'

/**
 * `npm run plants [-- NAME...]`: finds a seed for each planted bug, or for the named ones from the first seed on, and
 * stores it for the tests. Run it when the scenarios have changed, which makes every seed a different one.
 */
const named = process.argv.slice(2) as PlantName[]
const seeds: Record<string, number> = { ...knownSeeds }
const all = Object.keys(plants) as PlantName[]
for (const plant of named.length > 0 ? named : all) {
  const startedAt = performance.now()
  const seed = await (named.length > 0 ? firstSeedThatFinds(plant) : seedThatFinds(plant))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`${plant}: ${seed ?? 'NOT FOUND'} (${seconds} s)`)
  if (seed === undefined) process.exitCode = 1
  else seeds[plant] = seed
  const sorted = Object.fromEntries(all.flatMap((name) => (seeds[name] ? [[name, seeds[name]]] : [])))
  writeFileSync(plantSeedsFile, `${JSON.stringify(sorted, null, 2)}\n`)
}
