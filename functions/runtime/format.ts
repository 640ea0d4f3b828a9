import { dayMs, hourMs } from './durations.ts'
import { plural } from './format-count.ts'

export { formatCount, formatDocuments, plural } from './format-count.ts'

/** A text with a capital at its beginning and a full stop at its end. */
export const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.…]$/.test(text) ? '' : '.'}`

/** The title of a list of problems, which notes follow. */
export function attentionTitle(problems: number, notes: number): string {
  if (problems > 0) return `Needs attention: ${plural(problems, 'problem')}`
  return notes > 0 ? `No problem, ${plural(notes, 'note')}` : 'Nothing needs attention.'
}

const units = [
  { name: 'd', ms: dayMs },
  { name: 'h', ms: hourMs },
  { name: 'min', ms: 60_000 },
] as const

const formatSeconds = (ms: number) => (ms < 1000 ? '< 1 s' : `${Math.floor(ms / 1000)} s`)

/** The two largest units: `2 d 3 h`, `12 min 5 s`, `5 s` or `< 1 s`. */
export function formatDuration(ms: number): string {
  const at = units.findIndex((unit) => ms >= unit.ms)
  const unit = units[at]
  if (!unit) return formatSeconds(ms)
  const { name: smaller, ms: smallerMs } = units[at + 1] ?? { name: 's', ms: 1000 }
  const rest = Math.floor((ms % unit.ms) / smallerMs)
  const first = `${Math.floor(ms / unit.ms)} ${unit.name}`
  return rest === 0 ? first : `${first} ${rest} ${smaller}`
}

/** `2026-03-01 05:00 UTC`, of an ISO 8601 time in UTC. */
export const formatMinute = (time: string) => `${time.slice(0, 16).replace('T', ' ')} UTC`

/** Rounded, in the largest unit of which there are two at least: `119 s`, `47 h`, `3 d`. */
export function formatRoughDuration(ms: number): string {
  const unit = units.find((each) => ms >= 2 * each.ms)
  return unit ? `${Math.round(ms / unit.ms)} ${unit.name}` : formatSeconds(ms)
}

/** `5 min ago`, for a time in ISO 8601. */
export const formatAge = (time: string, now: number): string =>
  `${formatRoughDuration(now - Date.parse(time))} ago`

/** `Since 2026-03-01 05:00 UTC (3 h ago).` */
export const formatSince = (time: string, now: number) =>
  `Since ${formatMinute(time)} (${formatAge(time, now)}).`

/** At most so many characters of a text. No half of a character remains. */
export const beginning = (text: string, characters: number) =>
  text
    .slice(0, characters)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed()

/** The beginning of a text that is longer than this many characters. */
export const shortened = (text: string, maxCharacters: number) =>
  text.length > maxCharacters ? `${beginning(text, maxCharacters - 1)}…` : text

/** Why something failed, for those who may not see ARNs. The log has the whole text. */
export const reasonOf = (error: unknown): string =>
  ((error instanceof Error && error.message) || String(error)).replaceAll(/\barn:[^\s"',;)]+/g, '[redacted]')
