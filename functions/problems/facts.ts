import type { IncrementAudit } from '../../stored/changes/changes.ts'
import type { EntityState } from '../../stored/entity-items.ts'
import type { SnapshotRun } from '../../stored/run/run.ts'
import type { StoredChanges } from '../../stored/tables/schema-changes.ts'
import type { Unreadable } from '../../stored/unreadable-object.ts'
import type { Area } from '../platform/areas.ts'
import type { EntitySettings } from '../runtime/settings.ts'
import type { ScheduledStart } from '../runtime/settings-schema/entity-schedules.ts'
import type { ChainState } from './chain-state.ts'
import type { EntityWatched } from './look-items.ts'
import type { TableState } from './table-state.ts'

/** What decides about the problems of an entity: everything that a look has read of it. */
export interface EntityFacts {
  readonly settings: EntitySettings
  readonly state: EntityState
  /** The newest runs except increments, newest first. */
  readonly runs: readonly SnapshotRun[]
  readonly chain: ChainState
  readonly table: TableState
  /** How the fields of the published snapshot differ from those before; undefined if they do not. */
  readonly schemaChanges: StoredChanges | undefined
  /** What the last full set counted that increments had missed. */
  readonly audit: IncrementAudit
  /** An object that has to be restored before anything else in the bucket is known of the entity. */
  readonly unreadable: Unreadable | undefined
  /** When the schedules, and `eraseWithinDays`, were first seen, in ISO 8601; undefined before the first look of the freshness function. */
  readonly watched: EntityWatched
  readonly schedules: ScheduleState
  readonly eraseWithinDays: number | undefined
  /** Of the secret that its syncs use: `all` if no area has its own. */
  readonly credentialsArea: Area
  /** Epoch milliseconds. */
  readonly now: number
}

/** The schedules of an entity in the account. Only operators read them. */
export type ScheduleState =
  | { readonly kind: 'deployed'; readonly schedules: readonly DeployedSchedule[] }
  /** `deploy`: the command line that deploys. */
  | { readonly kind: 'not-deployed'; readonly deploy: string }
  /** Nobody has looked, they could not be read, or there are none. */
  | { readonly kind: 'unknown' }

/** A configured schedule, and what became of it. */
export interface DeployedSchedule {
  readonly starts: ScheduledStart
  /** False if the deployed template does not have it. */
  readonly isDeployed: boolean
  /** Undefined if it does not exist in the account. `changedAt` is ISO 8601. */
  readonly existing: { readonly enabled: boolean; readonly changedAt: string } | undefined
  /** What was changed outside of CloudFormation, except that it was paused. */
  readonly differences: readonly string[]
  /** What a deployment would change, and the command line that deploys. */
  readonly undeployed:
    | { readonly deployed: string; readonly configured: string; readonly deploy: string }
    | undefined
}
