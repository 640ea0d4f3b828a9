import { describeValue } from './schema-parts.ts'

/** What is wrong with the name of a time zone. EventBridge Scheduler accepts only the names of the IANA database. */
export function findTimezoneError(name: string): string | undefined {
  const known = Intl.supportedValuesOf('timeZone').find((zone) => zone.toLowerCase() === name.toLowerCase())
  if (known && known !== name) return `${describeValue(name)} must be written '${known}'`
  const isKnown = /^[A-Za-z]/.test(name) && isTimeZone(name)
  return isKnown ? undefined : `${describeValue(name)} is not a time zone, such as 'Europe/Lisbon'`
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}
