/** `12,345` */
export const formatCount = (count: number) => count.toLocaleString('en')

export const plural = (count: number, one: string, many = `${one}s`) =>
  `${formatCount(count)} ${count === 1 ? one : many}`

const units = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
] as const

/** The two largest units: `2 d 3 h`, `12 min 5 s` or `5 s`. */
export function formatDuration(ms: number): string {
  const at = units.findIndex((unit) => ms >= unit.ms)
  const unit = units[at]
  if (!unit) return `${Math.max(0, Math.floor(ms / 1000))} s`
  const { name: smaller, ms: smallerMs } = units[at + 1] ?? { name: 's', ms: 1000 }
  const rest = Math.floor((ms % unit.ms) / smallerMs)
  const first = `${Math.floor(ms / unit.ms)} ${unit.name}`
  return rest === 0 ? first : `${first} ${rest} ${smaller}`
}

/** The largest unit only: `3 d`. */
export const formatRough = (ms: number) => formatDuration(ms).split(' ').slice(0, 2).join(' ')

const sizes = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** `1.5 MB`, in units of 1,000. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** step
  return `${step === 0 ? formatCount(bytes) : value.toFixed(value < 10 ? 1 : 0)} ${sizes[step]}`
}

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

/** Pages a second with one digit, from what a run reports. */
export function pagesPerSecond(run: {
  readonly documents: number
  readonly pages: number
  readonly documentsPerSecond: number | null
}): number | null {
  const { documents, pages, documentsPerSecond } = run
  if (documentsPerSecond === null || documents === 0) return null
  return Math.round((documentsPerSecond * pages * 10) / documents) / 10
}
