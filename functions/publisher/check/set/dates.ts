/** A date, or a time with up to nine digits of a second's fraction, in UTC without an offset (ISO 8601). */
const form =
  /^(?!0000)(\d{4}-\d\d-(\d\d))(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(?:Z|([+-](?:[01]\d|2[0-3]))(?::?([0-5]\d))?)?)?$/i
const first = Date.parse('0001-01-01T00:00:00Z')
const last = Date.parse('9999-12-31T23:59:59Z')

/** Microseconds since 1970 of an ISO 8601 date or timestamp; undefined if the text is none. */
function microseconds(text: string): number | undefined {
  const [, date, day, minute = '00:00', second = '00', fraction = '', hours = '+00', minutes = '00'] =
    form.exec(text) ?? []
  const time = Date.parse(`${date}T${minute}:${second}${hours}:${minutes}`)
  // Of the 30th of February the day becomes another one. Without a time, Date reads more than ISO 8601.
  const exists = new Date(`${date}T00:00Z`).getUTCDate() === Number(day)
  if (!exists || time < first || time > last) return undefined
  return time * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'))
}

/** A date in a top-level field of a document. */
export function dateIn(document: object, field: string): number | undefined {
  const value = Object.hasOwn(document, field) ? (Reflect.get(document, field) as unknown) : undefined
  return typeof value === 'string' ? microseconds(value) : undefined
}

/** When a version of a document was made: at its last update, or else when it was created. */
export const versionDate = (document: object): number | undefined =>
  dateIn(document, 'updatedIn') ?? dateIn(document, 'createdIn')

/** Whether a field has a date that the platform's ranges, which compare texts, can order. */
export const isOrdered = (document: object, field: string | undefined): boolean =>
  field !== undefined &&
  dateIn(document, field) !== undefined &&
  /^.{10}(?:T|$)/.test(String(Reflect.get(document, field)))

/** For how long a snapshot may lack what an increment has delivered: an hour, or the lookback if that is longer. */
export const lagMinutes = (lookbackMinutes: number): number => Math.max(60, lookbackMinutes)

/** What a window delivered that ended later (microseconds) is protected from a snapshot that was opened then (ISO 8601). */
export const protectedAfter = (openedAt: string, lookbackMinutes: number): number =>
  (Date.parse(openedAt) - lagMinutes(lookbackMinutes) * 60_000) * 1000
