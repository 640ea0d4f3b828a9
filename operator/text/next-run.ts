import { formatRoughDuration } from '../../functions/runtime/format.ts'

/** What a schedule does next. Times are ISO 8601. */
export type Next =
  | { readonly kind: 'run'; readonly at: string }
  /** `until`: absent if nothing is known to end it. */
  | { readonly kind: 'paused'; readonly until?: string }
  /** There is no schedule, or it does not run again. */
  | { readonly kind: 'none' }
  /** The schedule could not be read. */
  | { readonly kind: 'unknown' }

/** `none`: what is shown in place of a time. */
export function nextText(next: Next, now: number, none: string): string {
  const until = (time: string) => formatRoughDuration(Date.parse(time) - now)
  if (next.kind === 'run') return `in ${until(next.at)}`
  if (next.kind === 'paused' && next.until !== undefined) return `paused, ${until(next.until)} left`
  return next.kind === 'none' ? none : next.kind
}

interface Scheduled {
  readonly enabled: boolean
  readonly schedule: string
  readonly timezone: string
}

export function scheduleText({ enabled, schedule, timezone }: Scheduled): string {
  if (!enabled) return 'on demand'
  return timezone === 'UTC' ? schedule : `${schedule} ${timezone}`
}
