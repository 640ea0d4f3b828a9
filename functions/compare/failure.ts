/**
 * What a comparison fails for. Damaged objects and too many changes fail later comparisons from the same tip too, so that
 * they reset the chain in the end. Errors of our code never do.
 */
export type FailureKind = 'damaged' | 'too-large' | 'other'

/** A comparison that cannot succeed, for a reason that an operator can act on. The tip does not move. */
export class ComparisonFailed extends Error {
  override readonly name = 'ComparisonFailed'
  readonly kind: FailureKind

  constructor(kind: FailureKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}
