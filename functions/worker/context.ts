import type { ChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import type { ChangesEvent, SyncEvent } from '../../stored/events.ts'
import type { PublisherClient } from '../../stored/publisher.ts'
import type { SnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import type { StateStore } from '../../stored/sync-state.ts'
import type { Log } from '../runtime/log.ts'
import type { Settings } from '../runtime/settings.ts'
import type { RedactingUpstream } from '../upstream/client.ts'

/** The worker's clients, clock and random numbers. Each function declares the members that it uses. */
export interface StepContext {
  readonly settings: Settings
  readonly state: StateStore
  readonly snapshots: SnapshotStore
  readonly publisher: PublisherClient
  readonly upstream: RedactingUpstream
  readonly changes: ChangeSetStore
  readonly publishEvent: (event: SyncEvent | ChangesEvent) => Promise<void>
  readonly log: Log
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  readonly random: () => number
  readonly compress: (bytes: Buffer) => Promise<Buffer>
  readonly uniqueName: () => string
}

export interface Invocation {
  readonly worker: string
  /** Epoch milliseconds. From then on it hands off. */
  readonly handOffAt: number
  /** Epoch milliseconds. Lambda ends the function then. */
  readonly killedAt: number
}

/** What working on the attempts of a run needs. */
export interface AttemptContext extends StepContext {
  readonly invocation: Invocation
}
