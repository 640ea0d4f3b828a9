import type { ChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import type { SetPublisher } from '../../stored/changes/publication.ts'
import type { PublishChangesEvent } from '../../stored/events.ts'
import type { SnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import type { Log } from '../runtime/log.ts'
import type { ChangeSettings, EntitySettings } from '../runtime/settings.ts'

/** Everything outside the function that a comparison uses. */
export interface CompareContext {
  readonly snapshots: Pick<
    SnapshotStore,
    'readLatest' | 'readManifest' | 'hasManifest' | 'listRuns' | 'listKeys' | 'listObjects'
  >
  readonly changes: ChangeSetStore
  readonly publisher: SetPublisher
  readonly publishEvent: PublishChangesEvent
  /** Content that is no longer published is gone from the bucket after this many days; undefined if it may stay. */
  readonly eraseWithinDays?: number | undefined
  readonly log: Log
  readonly now: () => number
  /** Throws `ComparisonFailed` if too little time is left to continue. */
  readonly checkTime: () => void
}

export interface CompareRequest {
  readonly entity: string
  /** The run that has just published; undefined if the function is invoked directly. */
  readonly runId: string | undefined
  readonly acceptDeletes: boolean
  /** Absent if nobody accepted the set of this run before the comparison. */
  readonly acceptance?: ChangesAcceptance | undefined
}

/** A person's decision to publish the change set of a run. */
export interface ChangesAcceptance {
  readonly runId: string
  /** What the person had reviewed: the set, which a comparison had refused, or the snapshot, which a run had refused. */
  readonly reviewed: 'set' | 'snapshot'
  readonly by: string
  /** Of the set's refusal; undefined if it is not known which one was reviewed. */
  readonly refusedAt?: string | undefined
}

/** A comparison of an entity that has change sets. */
export interface CompareJob {
  readonly entity: string
  readonly changes: ChangeSettings
  readonly increments: EntitySettings['increments']
  readonly request: CompareRequest
}

/** Undefined if the entity has no change sets. */
export const compareJobOf = (
  { name: entity, changes, increments }: EntitySettings,
  request: CompareRequest,
): CompareJob | undefined => (changes === false ? undefined : { entity, changes, increments, request })
