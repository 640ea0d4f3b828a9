import { accountDrills } from '../../drills/account/index.ts'
import { recoveryDrills } from '../../drills/account/recovery.ts'
import { type AccountDrill, accountWorld, countedOperator } from '../../drills/account/world.ts'
import { type Effort, effortTable, nameOf, runDrill } from '../../drills/drill.ts'
import type { Check } from '../check.ts'

function checksOf(drills: readonly AccountDrill[]): Check[] {
  const efforts: Effort[] = []
  return drills.map((drill) => ({
    name: `what the page says resolves ${nameOf(drill)}`,
    async run(context) {
      const world = accountWorld(context)
      efforts.push(await runDrill(drill, world, (counter) => countedOperator(world, counter)))
      if (drill === drills.at(-1)) console.log(effortTable(efforts))
    },
  }))
}

/** The situations of the pages that need an account. */
export const drillChecks = checksOf(accountDrills)

/** The procedures of docs/recovery.md, which lose a deployment of their own. */
export const recoveryChecks = checksOf(recoveryDrills)
