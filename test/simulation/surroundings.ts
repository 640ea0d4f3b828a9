import type { Chance } from './chance.ts'
import type { Invariant } from './oracle/invariants.ts'
import type { Scenario } from './scenario.ts'
import type { Scheduler } from './scheduler.ts'
import type { MemoryDynamoDb } from './stores/memory-dynamodb.ts'
import type { MemoryS3 } from './stores/memory-s3.ts'

/** The clock, the services and the statistics that all parts of one seed share. */
export interface Surroundings {
  readonly chance: Chance
  readonly scheduler: Scheduler
  /** Changes with each redeployment, and when all faults stop. */
  scenario: Scenario
  readonly dynamodb: MemoryDynamoDb
  readonly s3: MemoryS3
  /** Counts events by kind, for the statistics at the end. */
  count(kind: string): void
  /** Records what happened, if the seed is replayed with its story. */
  trace(what: () => string): void
  /** Whether a violation of the invariant counts. */
  readonly heeds: (invariant: Invariant) => boolean
  /** A number that is unique in this seed. */
  serial(): number
}
