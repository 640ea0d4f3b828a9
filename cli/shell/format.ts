/** Counts with the thousands apart. */
export const grouped = (count: number) => count.toLocaleString('en')

export function documents(count: number): string {
  return `${grouped(count)} ${count === 1 ? 'document' : 'documents'}`
}

const units = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
] as const

/** `3 d`, `4 h`, `12 min` or `5 s`. */
export function span(ms: number): string {
  const unit = units.find((one) => ms >= one.ms)
  return unit ? `${Math.floor(ms / unit.ms)} ${unit.name}` : `${Math.max(0, Math.floor(ms / 1000))} s`
}

/** How long ago an ISO 8601 time is. */
export function ago(time: string, now: number): string {
  return `${span(now - Date.parse(time))} ago`
}

/** Rows with their columns under each other; the first is the heading. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  return rows.map(line).join('\n')
}
