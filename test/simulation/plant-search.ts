import { type PlantName, plants } from './plants.ts'
import { simulate } from './simulate.ts'

const maxSeeds = 2_000

/** The first seed in which the oracle finds a planted bug by the invariant that it breaks. */
export async function seedThatFinds(plant: PlantName): Promise<number | undefined> {
  for (let seed = 1; seed <= maxSeeds; seed++) {
    const { violation } = await simulate(seed, { plant })
    if (violation?.invariant === plants[plant].breaks) return seed
  }
  return undefined
}

/** Half of the plants, so that two test files search them in parallel. */
export function plantsOf(half: 'first' | 'second'): readonly PlantName[] {
  const parity = half === 'first' ? 0 : 1
  return (Object.keys(plants) as PlantName[]).filter((_, index) => index % 2 === parity)
}
