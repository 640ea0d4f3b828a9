import type { Fields } from './fields.ts'

/** One record, ended by CR LF (RFC 4180). */
function csvRecord(cells: readonly string[]): string {
  const record = cells.join(',')
  // Some readers skip an empty line instead of reading one empty field.
  return `${record === '' ? '""' : record}\r\n`
}

export const csvHeader = (columns: readonly string[]) => csvRecord(columns.map(quoted))

export const csvRow = (columns: readonly string[], fields: Fields) =>
  csvRecord(columns.map((column) => cell(fields.get(column) ?? 'null')))

/** Null is an empty cell, an empty string is `""`, objects and arrays are JSON. */
function cell(json: string): string {
  if (json === 'null') return ''
  if (json === '""') return json
  return quoted(json.startsWith('"') ? (JSON.parse(json) as string) : json)
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
