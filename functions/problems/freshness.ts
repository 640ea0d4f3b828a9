import { maxAgeSeconds, maxWindowAgeSeconds } from '../runtime/schedule-gap.ts'
import type { EntityFacts } from './facts.ts'

export interface Freshness {
  /** Since the last publication, or since the schedule was first seen if nothing was published. */
  readonly ageMs: number
  /** Undefined if the schedule does not run twice: then no age is too old. */
  readonly maxAgeMs: number | undefined
  /** When it is too old, in epoch milliseconds. Counts from the start of the schedule if that is later. */
  readonly staleAt: number
}

/** What an age counts from, in ISO 8601. */
interface Since {
  readonly publishedAt: string | undefined
  /** An alarm must not fire before the first run of a new schedule is due. */
  readonly watchedSince: string | undefined
}

function ageOf({ publishedAt, watchedSince }: Since, maxSeconds: number | undefined, now: number): Freshness {
  const times = [publishedAt, watchedSince].flatMap((time) => (time === undefined ? [] : [Date.parse(time)]))
  const [from = now] = times
  const maxAgeMs = maxSeconds === undefined ? undefined : maxSeconds * 1000
  const staleAt = Math.max(from, ...times) + (maxAgeMs ?? Number.POSITIVE_INFINITY)
  return { ageMs: Math.max(0, now - from), maxAgeMs, staleAt }
}

export const isStale = ({ staleAt }: Freshness, now: number): boolean => now >= staleAt

/** How old the published snapshot is, and may be. An entity that is not enabled has no limit. */
export function snapshotFreshness({ settings, state, watched, now }: EntityFacts): Freshness {
  const since = { publishedAt: state.latest?.publishedAt, watchedSince: watched.full }
  return ageOf(since, settings.enabled ? maxAgeSeconds(settings.schedule, now) : undefined, now)
}

/**
 * How old the last window is, and may be: three increments in a row may fail, and half an hour may pass. Undefined
 * without increments. Before the first window, the age counts from the snapshot.
 */
export function incrementFreshness({ settings, state, watched, now }: EntityFacts): Freshness | undefined {
  const { increments, enabled } = settings
  if (!increments || !enabled) return undefined
  const publishedAt = state.increments?.window?.to ?? state.latest?.publishedAt
  const since = { publishedAt, watchedSince: watched.increment }
  return ageOf(since, maxWindowAgeSeconds(increments.schedule, now), now)
}
