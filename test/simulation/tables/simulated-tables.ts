import { MemoryCatalog } from '../../unit/tables/memory-catalog.ts'
import type { Simulation } from '../simulation.ts'
import { TableOracle } from './table-oracle.ts'

/** What makes and observes the typed tables of a seed. */
export interface SimulatedTables {
  /** With choices of its own, so that the seed otherwise plays as without tables. */
  readonly sim: Simulation
  readonly catalog: MemoryCatalog
  readonly oracle: TableOracle
}

export function simulatedTables(sim: Simulation): SimulatedTables {
  const own = Object.create(sim, { chance: { value: sim.chance.branch('making tables') } }) as Simulation
  const catalog = new MemoryCatalog()
  return { sim: own, catalog, oracle: new TableOracle(own, catalog) }
}
