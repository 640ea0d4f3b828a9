import { glueName } from '../../../functions/runtime/settings-schema/glue-names.ts'
import { delivered } from '../functions/delivery.ts'
import type { SimulatedTables, Simulation } from '../simulation.ts'
import { invokeTables } from './invoke-tables.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** What people do to the tables around a start. Returns how long nothing starts afterwards. */
export function planTableTrouble(
  tables: SimulatedTables,
  { entity, atMs }: { readonly entity: string; readonly atMs: number },
): number {
  const { chance, scheduler, scenario } = tables.sim
  const { direct = 0, foreignChanges = 0, restDays = 0 } = scenario.tables ?? {}
  if (chance.happens(direct))
    scheduler.after(atMs + chance.delayMs(0, 30 * minuteMs), () => void makeTable(tables, entity))
  if (chance.happens(foreignChanges))
    scheduler.after(atMs + chance.delayMs(0, 30 * minuteMs), () => changeInGlue(tables, entity))
  return chance.happens(restDays) ? chance.integer(10, 30) * hourMs : 0
}

/** A person invokes the function. */
function makeTable(tables: SimulatedTables, entity: string) {
  return delivered(tables.sim, () => invokeTables(tables, { entity }))
}

/** A person deletes the table in the catalog, or commits to it with another program. */
function changeInGlue({ sim, catalog }: SimulatedTables, entity: string): void {
  const name = glueName(entity)
  const table = catalog.tables.get(name)
  if (!table) return
  sim.count('table changed in Glue')
  if (sim.chance.happens(0.5)) catalog.tables.delete(name)
  else {
    const parameters = { ...table.parameters, metadata_location: 's3://elsewhere/0.metadata.json' }
    catalog.tables.set(name, { ...table, parameters, version: `foreign ${sim.serial()}` })
  }
}

/**
 * All faults have ended and every entity was synced: the tables are complete, and a day later no other files are left.
 */
export async function checkTables(sim: Simulation, tables: SimulatedTables): Promise<void> {
  const { scheduler, scenario, oracle } = sim
  const broken = () => oracle.violations.length > 0
  const names = scenario.entities.map(({ name }) => name)
  for (const name of names) tables.oracle.checkRecovered(name)
  for (const { name, columns } of scenario.entities) {
    if (broken()) return
    if (!columns) continue
    let isDone = false
    scheduler.after(25 * hourMs, () => {
      void makeTable(tables, name).then(() => {
        isDone = true
      })
    })
    await scheduler.run(() => broken() || isDone, scheduler.now() + 26 * hourMs)
    tables.oracle.checkCleanedUp(name)
  }
}
