import { maxAgeSeconds, maxWindowAgeSeconds } from '../runtime/schedule-gap.ts'
import type { EntitySettings } from '../runtime/settings.ts'
import type { EntityFacts } from './facts.ts'

export interface Freshness {
  /** Since the last publication, or since the schedule was first seen if that is later or nothing was published. */
  readonly ageMs: number
  /** Undefined if the schedule does not run twice: then no age is too old. */
  readonly maxAgeMs: number | undefined
  /** When it is too old, in epoch milliseconds. */
  readonly staleAt: number
}

/** What an age counts from, in ISO 8601. */
interface Since {
  readonly publishedAt: string | undefined
  /** An alarm must not fire before the first run of a new schedule is due. */
  readonly watchedSince: string | undefined
}

/** How old the last publication of a schedule is, and may be. An entity that is not enabled has no limit. */
function freshnessOf(
  { schedule, enabled }: Pick<EntitySettings, 'schedule' | 'enabled'>,
  since: Since,
  now: number,
): Freshness {
  return ageOf(since, enabled ? maxAgeSeconds(schedule, now) : undefined, now)
}

/** How old the last window of increments is, and may be. Three increments in a row may fail, and half an hour may pass. */
const windowFreshnessOf = (schedule: string, since: Since, now: number): Freshness =>
  ageOf(since, maxWindowAgeSeconds(schedule, now), now)

function ageOf({ publishedAt, watchedSince }: Since, maxSeconds: number | undefined, now: number): Freshness {
  const times = [publishedAt, watchedSince].flatMap((time) => (time === undefined ? [] : [Date.parse(time)]))
  const from = times.length === 0 ? now : Math.max(...times)
  const maxAgeMs = maxSeconds === undefined ? undefined : maxSeconds * 1000
  const staleAt = from + (maxAgeMs ?? Number.POSITIVE_INFINITY)
  return { ageMs: Math.max(0, now - from), maxAgeMs, staleAt }
}

export const isStale = ({ staleAt }: Freshness, now: number): boolean => now >= staleAt

export const snapshotFreshness = ({ settings, state, watched, now }: EntityFacts): Freshness =>
  freshnessOf(settings, { publishedAt: state.latest?.publishedAt, watchedSince: watched.full }, now)

/** Undefined without increments. Before the first window, the age counts from the snapshot. */
export function incrementFreshness({ settings, state, watched, now }: EntityFacts): Freshness | undefined {
  const { increments, enabled } = settings
  if (!increments || !enabled) return undefined
  const publishedAt = state.increments?.window?.to ?? state.latest?.publishedAt
  return windowFreshnessOf(increments.schedule, { publishedAt, watchedSince: watched.increment }, now)
}
