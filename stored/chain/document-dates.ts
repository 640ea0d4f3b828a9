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

/** A date of a document in another form than ISO 8601, as `updatedIn: 17/07/2026`; undefined if it has none. */
export function unreadableDate(document: Uint8Array): string | undefined {
  const texts = [updatedIn, createdIn].map((field) => ({ field, value: scalarOf(document, field) }))
  // Another value than a date may be personal data.
  const found = texts.find(({ value }) => typeof value === 'string' && /^[\d\s:/.,TZ+-]{6,40}$/.test(value))
  return found && `${String(found.field)}: ${String(found.value)}`
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
  return Date.parse(openedAt) * 1000 - lagMinutesOf(lookbackMinutes) * minuteUs
}

/** For how long a snapshot may lack what an increment has delivered. */
export const lagMinutesOf = (lookbackMinutes: number) => Math.max(minLagMinutes, lookbackMinutes)

/** When a snapshot has to be opened (ISO 8601) to decide about what a window delivered that ended at `deliveredAt`. */
export const decidedFrom = (deliveredAt: number, lookbackMinutes: number): string =>
  new Date(Math.ceil((deliveredAt + lagMinutesOf(lookbackMinutes) * minuteUs) / 1000)).toISOString()
