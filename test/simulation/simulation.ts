import type { Oracle } from './oracle/oracle.ts'
import type { SimulatedPlatform } from './platform/platform-model.ts'
import type { Wire } from './platform/wire.ts'
import type { Surroundings } from './surroundings.ts'
import type { SimulatedTables } from './tables/simulated-tables.ts'

/** All parts of one seed. */
export interface Simulation extends Surroundings {
  readonly platform: SimulatedPlatform
  readonly oracle: Oracle
  /** In some seeds answers pass over a real connection. */
  readonly wire: Wire | undefined
  /** Undefined in seeds without typed tables. */
  readonly tables: SimulatedTables | undefined
}
