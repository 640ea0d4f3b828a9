import { scalarOf } from '../documents/stored-lines.ts'

/** Whether a top-level field of the document is a date that ranges can order. */
export function hasDate(document: Uint8Array, field: string | undefined): boolean {
  if (field === undefined) return false
  const value = scalarOf(document, Buffer.from(field))
  return typeof value === 'string' && isDate(value)
}

const iso8601 = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/

function isDate(text: string): boolean {
  if (!iso8601.test(text) || Number.isNaN(Date.parse(text))) return false
  // Date.parse accepts 30 February.
  const day = text.slice(0, 'yyyy-mm-dd'.length)
  return new Date(day).toISOString().startsWith(day)
}
