import { accountDrills } from '../../drills/account/index.ts'
import { accountWorld, countedOperator } from '../../drills/account/world.ts'
import { type Effort, effortTable, nameOf, runDrill } from '../../drills/drill.ts'
import type { Check } from '../check.ts'

const efforts: Effort[] = []

/** The situations of the pages that need an account. */
export const drillChecks: Check[] = accountDrills.map((drill) => ({
  name: `what the page says resolves ${nameOf(drill)}`,
  async run(context) {
    const world = accountWorld(context)
    efforts.push(await runDrill(drill, world, (counter) => countedOperator(world, counter)))
    if (drill === accountDrills.at(-1)) console.log(effortTable(efforts))
  },
}))
