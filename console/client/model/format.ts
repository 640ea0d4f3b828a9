import { formatAge, formatCount } from '../../../functions/runtime/format.ts'
import { shownZone, zonedFormat } from './shown-zone.ts'

export {
  attentionTitle,
  formatCount,
  formatDuration,
  formatRoughDuration,
  plural,
} from '../../../functions/runtime/format.ts'

const sizes = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** `1.5 MB`, in units of 1,000. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** step
  return `${step === 0 ? formatCount(bytes) : value.toFixed(value < 10 ? 1 : 0)} ${sizes[step]}`
}

/** `5 min ago`, by the server's clock. */
export const ageText = (time: string, now: string) => formatAge(time, Date.parse(now))

const monthDay = { month: 'short', day: 'numeric' } as const
const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const clockSeconds = { ...clock, second: '2-digit' } as const

const dateTime = zonedFormat({ year: 'numeric', ...monthDay, ...clockSeconds, timeZoneName: 'short' })

/** `Nov 21, 2026, 12:00:00 UTC` */
export const formatTime = (time: string) => dateTime.format(Date.parse(time))

const minute = zonedFormat({ year: 'numeric', ...monthDay, ...clock, timeZoneName: 'short' })

/** `Nov 21, 2026, 12:00 UTC` */
export const shownMinute = (time: string) => minute.format(Date.parse(time))

const shortTime = zonedFormat({ ...monthDay, ...clockSeconds })

/** `Nov 21, 12:00:00`, for a column of recent times. */
export const formatShortTime = (time: string) => shortTime.format(Date.parse(time))

const zone = new Intl.DateTimeFormat('en', { timeZoneName: 'longOffset' })

/** `Europe/Lisbon`: of the times that the page shows. */
export const zoneName = () => (shownZone() === 'utc' ? 'UTC' : zone.resolvedOptions().timeZone)

/** `UTC+01:00, Europe/Lisbon`: the time zone of the browser. */
export function zoneText(now: number): string {
  const offset = zone.formatToParts(now).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const name = zone.resolvedOptions().timeZone
  return name === 'UTC' ? 'UTC' : `${offset.replace('GMT', 'UTC')}, ${name}`
}

const logTime = zonedFormat({ ...clockSeconds, fractionalSecondDigits: 3 })

/** `12:00:00.123`, of a log line. */
export const formatLogTime = (time: string) => logTime.format(Date.parse(time))

const day = 86_400
/** In which the clock is set forward. */
const shortestDay = 82_800
const axisDate = zonedFormat(monthDay)
const axisTime = zonedFormat(clock)
const axisSeconds = zonedFormat(clockSeconds)
const axisDateTime = zonedFormat({ ...monthDay, ...clock })

/** Labels for the ticks (epoch seconds) of an axis, as fine as their distance and the axis need. */
export function formatAxisTimes(times: readonly number[], [min, max]: readonly [number, number]): string[] {
  const stepSeconds = times.length > 1 ? (times[1] ?? 0) - (times[0] ?? 0) : max - min
  const format = formatOf(stepSeconds, max - min)
  return times.map((time) => format.format(time * 1000))
}

function formatOf(stepSeconds: number, seconds: number) {
  if (stepSeconds >= shortestDay) return axisDate
  if (seconds > day) return axisDateTime
  return stepSeconds >= 60 ? axisTime : axisSeconds
}
