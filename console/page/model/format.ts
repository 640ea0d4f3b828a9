import { formatAge, formatCount } from '../../../operator/text/format.ts'

export {
  formatCount,
  formatDuration,
  formatRoughDuration,
  plural,
} from '../../../operator/text/format.ts'

const sizes = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** `1.5 MB`, in units of 1,000. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** step
  return `${step === 0 ? formatCount(bytes) : value.toFixed(value < 10 ? 1 : 0)} ${sizes[step]}`
}

/** `5 min ago`, by the server's clock. */
export const ageText = (time: string, now: string) => formatAge(time, Date.parse(now))

const dateTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })

/** `Nov 21, 2026, 12:00:00`, in the time zone of the browser. */
export const formatTime = (time: string) => dateTime.format(Date.parse(time))

const day = 86_400
const axisDate = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })
const axisTime = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const axisSeconds = new Intl.DateTimeFormat('en', { minute: '2-digit', second: '2-digit' })

/** Labels for equally spaced times (epoch seconds) on an axis, as fine as their distance needs. */
export function formatAxisTimes(times: readonly number[]): string[] {
  const stepSeconds = (times[1] ?? 0) - (times[0] ?? 0)
  const format = stepSeconds >= day ? axisDate : stepSeconds >= 60 ? axisTime : axisSeconds
  return times.map((time) => format.format(time * 1000))
}
