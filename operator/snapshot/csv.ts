import type { Fields } from '../../stored/documents/fields.ts'

/** One record, ended by CR LF (RFC 4180). */
function csvRecord(cells: readonly string[]): string {
  const record = cells.join(',')
  // Some readers skip an empty line instead of reading one empty field.
  return `${record === '' ? '""' : record}\r\n`
}

/** `csv` keeps every text as it is. In `spreadsheet`, no text is a formula. */
export type CsvFormat = 'csv' | 'spreadsheet'

export const csvHeader = (columns: readonly string[], format: CsvFormat) =>
  csvRecord(columns.map((column) => textCell(column, format)))

export const csvRow = (columns: readonly string[], fields: Fields, format: CsvFormat) =>
  csvRecord(columns.map((column) => cell(fields.get(column) ?? 'null', format)))

/** Null is an empty cell, an empty string is `""`, objects and arrays are JSON. */
function cell(json: string, format: CsvFormat): string {
  if (json === 'null') return ''
  if (json === '""') return json
  // A number is no formula, also a negative one.
  return json.startsWith('"') ? textCell(JSON.parse(json) as string, format) : quoted(json)
}

/** Whether a spreadsheet might run the text (OWASP, CSV Injection). Some normalize characters and trim white space. */
const isFormula = (text: string) =>
  /^[\t\r\n]/.test(text) || /^[=+\-@]/.test(text.replace(/^[\s\p{Cf}\p{Cc}]+/u, '').normalize('NFKC'))

function textCell(text: string, format: CsvFormat): string {
  if (format === 'csv') return quoted(text)
  // Quoted always, so that a separator of another country does not split it.
  return inQuotes(isFormula(text) ? `'${text}` : text)
}

const quoted = (text: string) => (/[",\r\n]/.test(text) ? inQuotes(text) : text)

const inQuotes = (text: string) => `"${text.replaceAll('"', '""')}"`
