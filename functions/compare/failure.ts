import type { LastingFailure } from '../state/changes/changes-latest.ts'
import { TaskFailed } from '../task/run.ts'

/**
 * Why a comparison fails. With damaged objects or too many changes, later comparisons from the same tip fail too, so
 * these reasons reset the chain in the end. Errors in our code never reset it.
 */
export type FailureKind = LastingFailure | 'other'

/** A comparison that cannot succeed, for a reason that an operator can act on. The tip does not move. */
export class ComparisonFailed extends TaskFailed {
  override readonly name = 'ComparisonFailed'
  readonly kind: FailureKind

  constructor(kind: FailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

export const damaged = (message: string): ComparisonFailed => new ComparisonFailed('damaged', message)
