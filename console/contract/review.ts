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

/** Which refusal a review shows. A run can be refused again. */
export interface RefusalName {
  readonly guard: Guard
  /** Of a change set; null of a snapshot. */
  readonly refusedAt: string | null
}

/** What publishing what was refused would take away. */
export interface ReviewResponse extends ShownReview, RefusalName {
  /** Whether the change set of a refused snapshot can be accepted with it, since this review shows what it deletes. */
  readonly isAcceptableWithChanges: boolean
}
