import type { Share } from '../../operator/review/distribution.ts'
import type { ShownReview } from '../../operator/review/review.ts'
import type { Guard } from '../../stored/run/run.ts'

export type { Share }

/** A snapshot, or a change set, that waits for a decision. */
export interface RefusedRow {
  readonly guard: Guard
  readonly reason: string
  /** Do the same as the page. */
  readonly reviewCommand: string
  readonly acceptCommand: string
}

/** What a person decides about what was refused. */
export interface AcceptRequest {
  /** Also publish the change set of a snapshot. */
  readonly withChanges: boolean
}

/** What publishing what was refused would take away. */
export interface ReviewResponse extends ShownReview {
  /** Whether the change set of a refused snapshot can be accepted with it, since this review shows what it deletes. */
  readonly isAcceptableWithChanges: boolean
}
