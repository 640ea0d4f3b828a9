/** `12,345` */
export const formatCount = (count: number) => count.toLocaleString('en')

/** `1 document` or `12,345 documents` */
export function formatDocuments(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'document' : 'documents'}`
}

const units = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
] as const

/** `3 d`, `4 h`, `12 min` or `5 s` */
export function formatDuration(ms: number): string {
  const unit = units.find((one) => ms >= one.ms)
  return unit ? `${Math.floor(ms / unit.ms)} ${unit.name}` : `${Math.max(0, Math.floor(ms / 1000))} s`
}

/** `5 min ago`, for a time in ISO 8601. */
export function formatAge(time: string, now: number): string {
  return `${formatDuration(now - Date.parse(time))} ago`
}

/** Rows with aligned columns; the first row is the heading. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd()
  return rows.map(line).join('\n')
}

const lineWidth = 80

/** Breaks a paragraph into lines of at most 80 characters. */
export function wrapText(text: string): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? ''
    if (line.length + word.length >= lineWidth) lines.push(word)
    else lines[lines.length - 1] = line ? `${line} ${word}` : word
  }
  return lines.join('\n')
}
