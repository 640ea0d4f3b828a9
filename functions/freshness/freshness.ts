import { maxAgeSeconds } from '../runtime/schedule-gap.ts'
import type { EntitySettings } from '../runtime/settings.ts'

/** Since when each entity has its current schedule, by the entity's name. Times are ISO 8601 in UTC. */
export type WatchedSince = Readonly<Record<string, { readonly schedule: string; readonly since: string }>>

export interface Freshness {
  readonly entity: string
  readonly ageSeconds: number
  /** Undefined if the schedule does not run twice: it promises no age. */
  readonly maxAgeSeconds: number | undefined
}

/**
 * The entities to watch: those that are enabled, each since its current schedule was first seen. An entity that is
 * new, enabled again or rescheduled starts over, so that no alarm fires before its first run is due.
 */
export function watchedSince(
  entities: readonly EntitySettings[],
  known: WatchedSince,
  now: number,
): WatchedSince {
  const enabled = entities.filter((entity) => entity.enabled)
  return Object.fromEntries(
    enabled.map(({ name, schedule: expression, timezone }) => {
      const schedule = `${expression} ${timezone}`
      const before = known[name]
      return [name, before?.schedule === schedule ? before : { schedule, since: new Date(now).toISOString() }]
    }),
  )
}

/** The last publication of an entity, and since when it has its schedule. */
export interface Publication {
  readonly since: string
  readonly publishedAt: string | undefined
}

/**
 * The age of an entity's snapshot. Before the first publication it is the age of the schedule, so that a schedule that
 * never fires is noticed too.
 */
export function freshnessOf(
  { name, schedule }: Pick<EntitySettings, 'name' | 'schedule'>,
  { since, publishedAt }: Publication,
  now: number,
): Freshness {
  const from = Math.max(Date.parse(since), publishedAt === undefined ? 0 : Date.parse(publishedAt))
  return {
    entity: name,
    ageSeconds: Math.max(0, Math.round((now - from) / 1000)),
    maxAgeSeconds: maxAgeSeconds(schedule, now),
  }
}

export const isStale = ({ ageSeconds, maxAgeSeconds }: Freshness) =>
  maxAgeSeconds !== undefined && ageSeconds >= maxAgeSeconds
