import { MemoryCatalog } from '../../unit/tables/memory-catalog.ts'
import type { SimulatedTables, Simulation } from '../simulation.ts'
import { TableOracle } from './table-oracle.ts'

export function simulatedTables(sim: Simulation): SimulatedTables {
  const own = Object.create(sim, { chance: { value: sim.chance.branch('making tables') } }) as Simulation
  const catalog = new MemoryCatalog()
  return { sim: own, catalog, oracle: new TableOracle(own, catalog) }
}
