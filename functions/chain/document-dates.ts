import { epochMicroseconds } from '../documents/iso-8601.ts'
import { scalarOf } from '../documents/stored-lines.ts'

/** When a document was created and last updated, in microseconds since 1970; undefined where it has no such date. */
export interface DocumentDates {
  readonly createdIn: number | undefined
  /** The platform sets it with the first update. */
  readonly updatedIn: number | undefined
}

const createdIn = Buffer.from('createdIn')
const updatedIn = Buffer.from('updatedIn')

/** Reads the dates of a stored document. */
export function datesOf(document: Uint8Array): DocumentDates {
  return { createdIn: dateIn(document, createdIn), updatedIn: dateIn(document, updatedIn) }
}

/** The date of a version of a document: that of its last update, or else of its creation. */
export const versionDate = (dates: DocumentDates): number | undefined => dates.updatedIn ?? dates.createdIn

function dateIn(document: Uint8Array, field: Buffer): number | undefined {
  const value = scalarOf(document, field)
  return typeof value === 'string' ? epochMicroseconds(value) : undefined
}

/** Whether a top-level field of the document is a date that ranges can order. */
export function hasDate(document: Uint8Array, field: string | undefined): boolean {
  if (field === undefined) return false
  const value = scalarOf(document, Buffer.from(field))
  return typeof value === 'string' && isOrdered(value) && epochMicroseconds(value) !== undefined
}

/** The platform's filters order dates as text, in which only `T` may follow the day. */
const isOrdered = (date: string) => ['', 'T'].includes(date.charAt('yyyy-mm-dd'.length))

const minuteUs = 60_000_000
/** How late a change of a document can become visible in the platform's index. */
const minLagMinutes = 60

/**
 * Versions of windows that ended later than this are protected from a snapshot that was opened at this time (ISO 8601).
 */
export function protectedAfter(openedAt: string, lookbackMinutes: number): number {
  return Date.parse(openedAt) * 1000 - Math.max(minLagMinutes, lookbackMinutes) * minuteUs
}
