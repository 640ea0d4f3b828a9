import type { Invariant } from '../oracle/invariants.ts'
import type { Scenario } from '../scenario.ts'

/** A bug that is planted into the code as a change of its text, to show that the simulation finds it. */
export interface PlantedBug {
  /** The invariant that finds it. */
  readonly breaks: Invariant
  readonly file: string
  /** Occurs once in the file. */
  readonly find: string
  readonly replace: string
  /** A seed that finds it. `npm run plants` writes it. */
  readonly seed: number
  /** The scenarios in which the bug can show. The search leaves the others out; all by default. */
  readonly showsIn?: (scenario: Scenario) => boolean
}

export const compares = (scenario: Scenario) => scenario.compares
export const hasTables = ({ tables }: Scenario) => tables !== undefined
export const hasIncrements = ({ increments }: Scenario) => increments !== undefined
