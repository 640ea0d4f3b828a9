import { constants } from 'node:os'
import type { ChangeSetStore } from '../../stored/changes/change-sets.aws.ts'
import type { LastingFailure } from '../../stored/changes/changes-latest.ts'
import type { SetPublisher } from '../../stored/changes/publication.ts'
import type { PublishChangesEvent } from '../../stored/events.ts'
import type { SnapshotStore } from '../../stored/snapshots/snapshots.aws.ts'
import type { Log } from '../runtime/log.ts'
import type { ChangeSettings, EntitySettings } from '../runtime/settings.ts'
import { TaskFailed } from '../task/run.ts'

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

/**
 * Why a comparison fails. With damaged objects or too many changes, later comparisons from the same tip fail too, so
 * these reasons reset the chain in the end. Errors in our code never reset it.
 */
export type ComparisonFailureKind = LastingFailure | 'other'

/** A comparison that cannot succeed, for a reason that an operator can act on. The tip does not move. */
export class ComparisonFailed extends TaskFailed {
  override readonly name = 'ComparisonFailed'
  readonly kind: ComparisonFailureKind

  constructor(kind: ComparisonFailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

export const damaged = (message: string): ComparisonFailed => new ComparisonFailed('damaged', message)

/**
 * What to throw if a write to the temporary storage failed: no space is left, or the user's quota is used up. Any other
 * error is a bug or a fault of the disk, and stays as it is.
 */
export function explainFailedWrite(cause: unknown): unknown {
  const { errno } = cause as NodeJS.ErrnoException
  if (errno !== -constants.errno.ENOSPC && errno !== -constants.errno.EDQUOT) return cause
  return new ComparisonFailed(
    'too-large',
    'The temporary storage is full: too many large documents changed at once. Leave out fields with _fields, or set changes: false for the entity.',
    { cause },
  )
}
