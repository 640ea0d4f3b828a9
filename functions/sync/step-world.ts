import type { Settings } from '../environment.ts'
import type { Log } from '../log.ts'
import type { DiscreetUpstream } from '../upstream/client.ts'
import type { Announce } from './event-bus.ts'
import type { Compressed } from './gzip.ts'
import type { SnapshotStore } from './snapshot-store.ts'
import type { StateStore } from './state-store.ts'

/** Rejected keys end a run: each has a fresh read of the secret, however lately the run before it had its own. */
export const renewalIntervalMs = 0

/** Everything that a step touches beside its arguments. */
export interface StepWorld {
  readonly settings: Settings
  readonly state: StateStore
  readonly snapshots: SnapshotStore
  readonly upstream: DiscreetUpstream
  readonly announce: Announce
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
  readonly handOverAt: number
  /** Epoch milliseconds: here the platform ends the function. */
  readonly killedAt: number
}
