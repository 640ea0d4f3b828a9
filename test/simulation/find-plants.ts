import { writeFileSync } from 'node:fs'
import { firstSeedThatFinds, knownSeeds, plantSeedsFile, seedThatFinds } from './plant-search.ts'
import { type PlantName, plants } from './plants.ts'

/**
 * `npm run plants [-- NAME...]`: finds a seed for each planted bug, or for the named ones again from the first seed on,
 * and stores it for the tests. Run it when the scenarios have changed, which makes every seed a different one.
 */
const named = process.argv.slice(2)
const seeds: Record<string, number> = { ...knownSeeds }
for (const plant of Object.keys(plants) as PlantName[]) {
  const seed = await (named.includes(plant) ? firstSeedThatFinds(plant) : seedThatFinds(plant))
  console.log(`${plant}: ${seed ?? 'NOT FOUND'}`)
  if (seed === undefined) process.exitCode = 1
  else seeds[plant] = seed
  writeFileSync(plantSeedsFile, `${JSON.stringify(seeds, null, 2)}\n`)
}
