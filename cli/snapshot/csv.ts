/** A document's fields. Numbers are `JSON.rawJSON`, which keeps each digit that the platform sent. */
export type Fields = Readonly<Record<string, unknown>>

/** TypeScript does not know these yet (TC39 proposal «JSON.parse source text access», in Node since 22). */
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

/** One record, with its CR LF (RFC 4180). */
export function csvRecord(cells: readonly string[]): string {
  const record = cells.join(',')
  // An empty line is a record of one empty field to some readers, and nothing to others.
  return `${record === '' ? '""' : record}\r\n`
}

export const csvHeader = (columns: readonly string[]) => csvRecord(columns.map(quoted))

export const csvRow = (columns: readonly string[], fields: Fields) =>
  csvRecord(columns.map((column) => (Object.hasOwn(fields, column) ? cell(fields[column]) : '')))

/** Null and a missing field are nothing, an empty text is `""`, objects and lists are JSON. */
function cell(value: unknown): string {
  if (value === null) return ''
  if (value === '') return '""'
  if (json.isRawJSON(value)) return value.rawJSON
  return quoted(typeof value === 'string' ? value : json.stringify(value))
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
