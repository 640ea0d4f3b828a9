/** A comparison that cannot succeed, for a reason that an operator can act on. The tip does not move. */
export class ComparisonFailed extends Error {
  override readonly name = 'ComparisonFailed'
}
