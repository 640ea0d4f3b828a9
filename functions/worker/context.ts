import type { Compressed } from '../documents/gzip.ts'
import type { Log } from '../runtime/log.ts'
import type { Settings } from '../runtime/settings.ts'
import type { PublishEvent } from '../state/events.ts'
import type { SnapshotStore } from '../state/snapshots.aws.ts'
import type { StateStore } from '../state/sync-state.aws.ts'
import type { RedactingUpstream } from '../upstream/client.ts'

/** Everything that a step touches beside its arguments. */
export interface StepContext {
  readonly settings: Settings
  readonly state: StateStore
  readonly snapshots: SnapshotStore
  readonly upstream: RedactingUpstream
  readonly announce: PublishEvent
  readonly log: Log
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  readonly random: () => number
  readonly compress: (bytes: Buffer) => Promise<Compressed>
  readonly uniqueName: () => string
}

/** One call of the worker: who it is, and until when it may work. */
export interface Call {
  readonly worker: string
  /** Epoch milliseconds: from here on it hands over. */
  readonly handOffAt: number
  /** Epoch milliseconds: here the platform ends the function. */
  readonly killedAt: number
}
