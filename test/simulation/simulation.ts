import type { Chance } from './chance.ts'
import type { MemoryDynamoDb } from './memory-dynamodb.ts'
import type { MemoryS3 } from './memory-s3.ts'
import type { Oracle } from './oracle.ts'
import type { Plant } from './plants.ts'
import type { SimulatedPlatform } from './platform-model.ts'
import type { Scenario } from './scenario.ts'
import type { Scheduler } from './scheduler.ts'

/** One seed's world, which all its parts share. */
export interface Simulation {
  readonly chance: Chance
  readonly scheduler: Scheduler
  /** Changes once, when all faults stop. */
  scenario: Scenario
  readonly dynamodb: MemoryDynamoDb
  readonly s3: MemoryS3
  readonly platform: SimulatedPlatform
  readonly oracle: Oracle
  readonly plant: Plant | undefined
  /** Counts what happened by kind, for the figures at the end. */
  count(kind: string): void
  /** Notes what happened; kept only when a seed is repeated to be read. */
  trace(what: () => string): void
  /** A number that no one else gets in this world. */
  serial(): number
}
