import { createChance } from '../chance.ts'
import { drawScenario } from '../draw-scenario.ts'
import type { SeedResult } from '../simulate.ts'
import type { PlantedBug } from './planted-bug.ts'
import { type BugName, plantedBugs } from './planted-bugs.ts'
import { simulationWith } from './with-bug.ts'

const maxSeeds = 10_000

/** The first seed in which the simulation finds a planted bug: the listed one if it does, or else from 1 on. */
export async function seedThatFinds(name: BugName): Promise<number | undefined> {
  const bug: PlantedBug = plantedBugs[name]
  const simulate = await simulationWith(bug)
  if (isFound(bug, await simulate(bug.seed))) return bug.seed
  const { showsIn = () => true } = bug
  for (let seed = 1; seed <= maxSeeds; seed++)
    if (showsIn(drawScenario(createChance(seed))) && isFound(bug, await simulate(seed))) return seed
  return undefined
}

/** A planted bug must violate the invariant that it breaks. Other violations do not count. */
export function isFound({ breaks }: PlantedBug, { violation }: SeedResult): boolean {
  return violation?.invariant === breaks
}
