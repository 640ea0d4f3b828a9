import { shortened } from '../../functions/runtime/format.ts'

interface Width {
  /** Of the terminal; undefined for no limit. */
  readonly columns?: number | undefined
  /** The headings of columns that a table which is too wide leaves out, in this order. */
  readonly optional?: readonly string[]
  /** To how many characters the first column of a table that is too wide is shortened before; absent if it never is. */
  readonly shortenedTo?: number
}

/** Rows with aligned columns; the first row is the heading. */
export function formatTable(
  rows: readonly (readonly string[])[],
  { columns = Number.POSITIVE_INFINITY, optional = [], shortenedTo }: Width = {},
): string {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  const lines = rows.map(line)
  const [next, ...rest] = optional
  const excess = Math.max(0, ...lines.map(({ length }) => length - columns))
  if (excess > 0 && shortenedTo !== undefined) {
    const first = Math.max(shortenedTo, (widths[0] ?? 0) - excess)
    const narrower = rows.map(([cell = '', ...others]) => [shortened(cell, first), ...others])
    return formatTable(narrower, { columns, optional })
  }
  if (excess === 0 || next === undefined) return lines.join('\n')
  const left = rows[0]?.indexOf(next)
  return formatTable(
    rows.map((row) => row.filter((_, index) => index !== left)),
    { columns, optional: rest },
  )
}
