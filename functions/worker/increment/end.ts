import type { SkipCode } from '../../../stored/entity-items.ts'
import type { Delivery } from '../../../stored/run/increment-run.ts'
import type { FailureCause } from '../../../stored/run/run.ts'

export type IncrementEnd = Delivery | UnpublishedEnd

type UnpublishedEnd =
  | { readonly status: 'failed'; readonly reason: string; readonly cause?: FailureCause }
  | { readonly status: 'skipped'; readonly code: SkipCode; readonly reason: string }

/** The increment ends before its next step, and publishes nothing. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
  readonly end: UnpublishedEnd

  constructor(end: UnpublishedEnd) {
    super(end.reason)
    this.end = end
  }
}

export const failWith = (reason: string, cause?: FailureCause) =>
  new Stopped({ status: 'failed', reason, ...(cause && { cause }) })
export const skipWith = (code: SkipCode, reason: string) => new Stopped({ status: 'skipped', code, reason })
