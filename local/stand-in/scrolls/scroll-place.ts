/** Where a scroll request is in its scroll, counted from 1. */
export interface ScrollPlace {
  /** Every request without `_token` opens a scroll of its entity. */
  readonly scroll: number
  /** Failed requests included. */
  readonly request: number
  /** The page that is requested: where the cursor is, or what a positional token names. */
  readonly page: number
}
