/** A snapshot, or a change set, that waits for a decision. */
export interface RefusedRow {
  readonly guard: 'snapshot' | 'changes'
  readonly reason: string
  /** Do the same as the page. */
  readonly reviewCommand: string
  readonly acceptCommand: string
}

/** How many documents have a value, and how many of them are missing. */
export interface ShareRow {
  readonly value: string
  readonly before: number
  readonly missing: number
}

/** What a person decides about what was refused. */
export interface AcceptRequest {
  /** Also publish the change set of a snapshot. */
  readonly withChanges: boolean
}

/** What publishing what was refused would take away. */
export interface ReviewResponse {
  /** Whether the change set of a refused snapshot can be accepted with it, since this review shows what it deletes. */
  readonly isAcceptableWithChanges: boolean
  /** Unique documents that readers have before and after. */
  readonly before: number
  readonly after: number
  readonly missing: number
  readonly created: number
  /** By month of `createdIn`, oldest first. */
  readonly months: readonly ShareRow[]
  /** The fields whose values differ most in how many of their documents are missing. */
  readonly fields: readonly { readonly field: string; readonly values: readonly ShareRow[] }[]
  /** Some missing documents, as the platform sent them. */
  readonly sample: readonly string[]
}
