import { readFileSync } from 'node:fs'
import { createChance } from '../chance.ts'
import { drawScenario } from '../draw-scenario.ts'
import { simulate } from '../simulate.ts'
import type { Plant } from './plant.ts'
import { type PlantName, plants } from './plants.ts'

const maxSeeds = 2_000

/** A seed that finds each plant. `npm run plants` writes it. An entry that is out of date only costs time. */
export const plantSeedsFile = new URL('plant-seeds.json', import.meta.url)
export const knownSeeds = JSON.parse(readFileSync(plantSeedsFile, 'utf8')) as Readonly<Record<string, number>>

/** The seed in which the oracle finds a planted bug by the invariant that it breaks: the known one, or the first. */
export async function seedThatFinds(plant: PlantName): Promise<number | undefined> {
  const known = knownSeeds[plant]
  if (known !== undefined && (await finds(plant, known))) return known
  return firstSeedThatFinds(plant)
}

/** Searches from the first seed on. */
export async function firstSeedThatFinds(plant: PlantName): Promise<number | undefined> {
  const { showsIn = () => true }: Plant = plants[plant]
  for (let seed = 1; seed <= maxSeeds; seed++)
    if (showsIn(drawScenario(createChance(seed))) && (await finds(plant, seed))) return seed
  return undefined
}

async function finds(plant: PlantName, seed: number): Promise<boolean> {
  const { violation } = await simulate(seed, { plant })
  return violation?.invariant === plants[plant].breaks
}
