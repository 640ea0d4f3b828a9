import type { Chance } from './chance.ts'
import type { MemoryDynamoDb } from './memory-dynamodb.ts'
import type { MemoryS3 } from './memory-s3.ts'
import type { Oracle } from './oracle.ts'
import type { Plant } from './plants.ts'
import type { SimulatedPlatform } from './platform-model.ts'
import type { Scenario } from './scenario.ts'
import type { Scheduler } from './scheduler.ts'
import type { Wire } from './wire.ts'

/** What all parts of one seed share. */
export interface Simulation {
  readonly chance: Chance
  readonly scheduler: Scheduler
  /** Changes with each redeployment, and when all faults stop. */
  scenario: Scenario
  readonly dynamodb: MemoryDynamoDb
  readonly s3: MemoryS3
  readonly platform: SimulatedPlatform
  readonly oracle: Oracle
  readonly plant: Plant | undefined
  /** In some seeds answers pass over a real connection. */
  readonly wire: Wire | undefined
  /** Counts events by kind, for the statistics at the end. */
  count(kind: string): void
  /** Records what happened, if the seed is replayed with its story. */
  trace(what: () => string): void
  /** A number that is unique in this seed. */
  serial(): number
}
