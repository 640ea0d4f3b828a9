const date = /^(\d{4})-(\d\d)-(\d\d)$/
const time = /^(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?$/i

/** Microseconds since 1970 of an ISO 8601 date or timestamp, in UTC without an offset; undefined if the text is none. */
function microseconds(text: string): number | undefined {
  const [, year = '', month = '', day = ''] = date.exec(text.slice(0, 10)) ?? []
  const midnight = new Date(`${year}-${month}-${day}T00:00:00Z`)
  // Of the 30th of February the day becomes another one, and of what is no date none.
  const exists = year > '0000' && midnight.getUTCDate() === Number(day)
  if (!exists) return undefined
  if (text.length === 10) return midnight.getTime() * 1000
  const [all, hour = '', minute = '', second = '0', fraction = '', zone = 'Z'] =
    time.exec(text.slice(11)) ?? []
  if (!all || !'Tt '.includes(text[10] ?? '?')) return undefined
  const offset = /^(?<sign>[+-])(?<hours>\d\d):?(?<minutes>\d\d)?$/.exec(zone)?.groups
  const { sign = '+', hours = '0', minutes = '0' } = offset ?? {}
  const inRange = hour < '24' && minute < '60' && Number(second) < 60 && hours < '24' && Number(minutes) < 60
  const seconds =
    midnight.getTime() / 1000 +
    secondsOf(hour, minute) +
    Number(second) +
    (sign === '-' ? 1 : -1) * secondsOf(hours, minutes)
  if (!inRange || seconds < firstSecond || seconds > lastSecond) return undefined
  return seconds * 1_000_000 + Number(fraction.slice(0, 6).padEnd(6, '0'))
}

const firstSecond = Date.UTC(2001, 0, 1) / 1000 - 5 * 146_097 * 86_400
const lastSecond = Date.UTC(10_000, 0, 1) / 1000 - 1
const secondsOf = (hours: string, minutes: string) => 3600 * Number(hours) + 60 * Number(minutes)

/** A date in a top-level field of a document. */
export function dateIn(document: object, field: string): number | undefined {
  const value = Object.hasOwn(document, field) ? (Reflect.get(document, field) as unknown) : undefined
  return typeof value === 'string' ? microseconds(value) : undefined
}

/** When a version of a document was made: at its last update, or else when it was created. */
export const versionDate = (document: object): number | undefined =>
  dateIn(document, 'updatedIn') ?? dateIn(document, 'createdIn')

/** Whether a field has a date that the platform's ranges, which compare texts, can order. */
export function isOrdered(document: object, field: string | undefined): boolean {
  if (field === undefined || dateIn(document, field) === undefined) return false
  return ['', 'T'].includes(String(Reflect.get(document, field)).charAt(10))
}

const minLagMinutes = 60
/** For how long a snapshot may lack what an increment has delivered. */
export const lagMinutes = (lookbackMinutes: number): number => Math.max(minLagMinutes, lookbackMinutes)

/** What a window delivered that ended later (microseconds) is protected from a snapshot that was opened then (ISO 8601). */
export const protectedAfter = (openedAt: string, lookbackMinutes: number): number =>
  (Date.parse(openedAt) - lagMinutes(lookbackMinutes) * 60_000) * 1000
