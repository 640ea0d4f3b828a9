import { formatMinute } from '../functions/runtime/format.ts'

/** Why no schedule starts a run of an entity. Times are ISO 8601 in UTC. */
export interface Pause {
  /** Who paused it. */
  readonly by: string
  readonly since: string
  /** Null if nobody gave one. */
  readonly reason: string | null
  /** Null if it lasts until someone resumes the entity. */
  readonly until: string | null
}

/** The pause of an entity; undefined without one, and once its end has passed, which nobody has to confirm. */
export function pauseInForce({ pause }: { readonly pause?: Pause }, now: number): Pause | undefined {
  return pause && (pause.until === null || Date.parse(pause.until) > now) ? pause : undefined
}

/** The same of a configured entity. One without a schedule cannot be paused. */
export const pauseOf = (
  { enabled }: { readonly enabled: boolean },
  state: { readonly pause?: Pause },
  now: number,
): Pause | undefined => (enabled ? pauseInForce(state, now) : undefined)

/** `CL has been paused by user/ana since 2026-11-26 10:00 UTC, until 2026-11-27 06:00 UTC: migration.` */
export function pauseText(subject: string, { by, since, reason, until }: Pause): string {
  const end = until === null ? '' : `, until ${formatMinute(until)}`
  const why = reason === null ? '' : `: ${reason.replace(/\.+$/, '')}`
  return `${subject} has been paused by ${by} since ${formatMinute(since)}${end}${why}.`
}
