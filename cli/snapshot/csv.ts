/** A document's fields. Numbers are `JSON.rawJSON`, which keeps every digit. */
export type Fields = Readonly<Record<string, unknown>>

/** TypeScript has no types for these yet (TC39 proposal "JSON.parse source text access", in Node since 22). */
const json = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown
  stringify(value: unknown): string
  rawJSON(text: string): unknown
  isRawJSON(value: unknown): value is { readonly rawJSON: string }
}

export function readFields(line: string): Fields {
  return json.parse(line, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? json.rawJSON(source) : value,
  ) as Fields
}

/** One record, ended by CR LF (RFC 4180). */
export function csvRecord(cells: readonly string[]): string {
  const record = cells.join(',')
  // Some readers skip an empty line instead of reading one empty field.
  return `${record === '' ? '""' : record}\r\n`
}

export const csvHeader = (columns: readonly string[]) => csvRecord(columns.map(quoted))

export const csvRow = (columns: readonly string[], fields: Fields) =>
  csvRecord(columns.map((column) => (Object.hasOwn(fields, column) ? cell(fields[column]) : '')))

/** Null is an empty cell, an empty string is `""`, objects and arrays are JSON. */
function cell(value: unknown): string {
  if (value === null) return ''
  if (value === '') return '""'
  if (json.isRawJSON(value)) return value.rawJSON
  return quoted(typeof value === 'string' ? value : json.stringify(value))
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
