/** A table cannot be made, for a reason that an operator can act on. The table stays as it was. */
export class TableFailed extends Error {
  override readonly name = 'TableFailed'
}
