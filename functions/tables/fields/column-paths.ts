/** The paths of an entity's columns as a tree, to find the columns of a value on the way to it. */
export class ColumnPaths {
  readonly members = new Map<string, ColumnPaths>()
  /** The columns whose path ends here. */
  readonly columns: number[] = []
  /** The columns whose path ends here or below. */
  readonly covered: number[] = []

  /** Takes the paths in the order of the columns. */
  static of(paths: readonly (readonly string[])[]): ColumnPaths {
    const root = new ColumnPaths()
    for (const [column, path] of paths.entries()) {
      let node = root
      for (const name of path) {
        const next = node.members.get(name) ?? new ColumnPaths()
        node.members.set(name, next)
        next.covered.push(column)
        node = next
      }
      node.columns.push(column)
    }
    return root
  }
}
