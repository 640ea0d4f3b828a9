import type { MemoryCatalog } from '../unit/tables/memory-catalog.ts'
import type { ChangeOracle } from './oracle/changes/change-oracle.ts'
import type { Oracle } from './oracle/oracle.ts'
import type { SimulatedPlatform } from './platform/platform-model.ts'
import type { Wire } from './platform/wire.ts'
import type { Surroundings } from './surroundings.ts'
import type { TableOracle } from './tables/table-oracle.ts'

/** What the functions of a seed report to its oracle. */
export interface Observer
  extends Pick<
    Oracle,
    | 'acting'
    | 'violation'
    | 'violations'
    | 'responded'
    | 'requested'
    | 'announced'
    | 'damaged'
    | 'runs'
    | 'refused'
    | 'republishable'
  > {
  readonly changes: Pick<ChangeOracle, 'accepts' | 'announced'>
}

/** What the functions of a seed work with. */
export interface PlayedSimulation extends Surroundings {
  readonly platform: Pick<
    SimulatedPlatform,
    'keys' | 'respond' | 'hasSentLastPage' | 'losesResponse' | 'confirmsEnd'
  >
  readonly oracle: Observer
  /** In some seeds responses pass over a real connection. */
  readonly wire: Wire | undefined
  /** Of the executions that run: sends a token. False if it does not wait for this one. */
  readonly callbacks: Set<(token: string) => boolean>
  /** Undefined in seeds without typed tables. */
  readonly tables: SimulatedTables | undefined
}

/** All parts of a seed that is observed by its snapshots. */
export interface Simulation extends PlayedSimulation {
  readonly platform: SimulatedPlatform
  readonly oracle: Oracle
}

/** What makes and observes the typed tables of a seed. */
export interface SimulatedTables {
  /** With choices of its own, so that the seed otherwise plays as without tables. */
  readonly sim: Simulation
  readonly catalog: MemoryCatalog
  readonly oracle: TableOracle
}
