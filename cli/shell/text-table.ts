interface Width {
  /** Of the terminal; undefined for no limit. */
  readonly columns?: number | undefined
  /** The headings of columns that a table which is too wide leaves out, in this order. */
  readonly optional?: readonly string[]
}

/** Rows with aligned columns; the first row is the heading. */
export function formatTable(
  rows: readonly (readonly string[])[],
  { columns = Number.POSITIVE_INFINITY, optional = [] }: Width = {},
): string {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  const lines = rows.map(line)
  const [next, ...rest] = optional
  if (next === undefined || lines.every(({ length }) => length <= columns)) return lines.join('\n')
  const left = rows[0]?.indexOf(next)
  return formatTable(
    rows.map((row) => row.filter((_, index) => index !== left)),
    { columns, optional: rest },
  )
}
