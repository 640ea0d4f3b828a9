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
  return typeof value === 'string' ? parseDate(value) : undefined
}

const iso8601 = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?(Z|[+-]\d\d:?\d\d)?$/i

/** Microseconds since 1970 of a date in ISO 8601, in UTC if it has no offset. Undefined if it is not a date. */
export function parseDate(text: string): number | undefined {
  const [, day, time = '00:00', seconds = '00', fraction = '', offset = 'Z'] = iso8601.exec(text.trim()) ?? []
  if (!day) return undefined
  // Date.parse accepts 30 February, and keeps milliseconds only.
  if (!isDay(day)) return undefined
  const milliseconds = Date.parse(`${day}T${time}:${seconds}${withColon(offset.toUpperCase())}`)
  if (Number.isNaN(milliseconds)) return undefined
  return milliseconds * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}

function isDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

const withColon = (offset: string) =>
  offset.length === '+0100'.length ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset

const minuteUs = 60_000_000
/** How late a change of a document can become visible in the platform's index. */
const minLagMinutes = 60

/** The date after which delivered versions are protected from a snapshot that was opened at this time (ISO 8601). */
export function protectedAfter(openedAt: string, lookbackMinutes: number): number {
  return Date.parse(openedAt) * 1000 - Math.max(minLagMinutes, lookbackMinutes) * minuteUs
}

/** Whether a snapshot that lacks this delivered document, or has it in another version, may be older than it. */
export function isProtected(delivered: Uint8Array, rules: { readonly protectedAfter: number }): boolean {
  const date = versionDate(datesOf(delivered))
  return date !== undefined && date > rules.protectedAfter
}
