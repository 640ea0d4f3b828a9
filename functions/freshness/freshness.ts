import { maxAgeSeconds, maxWindowAgeSeconds } from '../runtime/schedule-gap.ts'
import type { EntitySettings } from '../runtime/settings.ts'

/** When each entity's current schedule was first seen, by the entity's name. Times are ISO 8601 in UTC. */
export type WatchedSince = Readonly<Record<string, { readonly schedule: string; readonly since: string }>>

export interface Freshness {
  readonly entity: string
  readonly ageSeconds: number
  /** Undefined if the schedule does not run twice: then no age is too old. */
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
  const schedules = enabled.flatMap(({ name, schedule, timezone, increments }) => [
    [name, `${schedule} ${timezone}`] as const,
    ...(increments ? [[incrementsOf(name), `${increments.schedule} ${timezone}`] as const] : []),
  ])
  return Object.fromEntries(
    schedules.map(([name, schedule]) => {
      const before = known[name]
      return [name, before?.schedule === schedule ? before : { schedule, since: new Date(now).toISOString() }]
    }),
  )
}

/** The name under which the increments of an entity are watched. No entity can have this name. */
export const incrementsOf = (entity: string) => `${entity}#increments`

/** The last publication of an entity, and when its schedule was first seen. */
export interface LastPublication {
  readonly since: string
  readonly publishedAt: string | undefined
}

/**
 * The age of an entity's snapshot. Before the first publication it is the age of the schedule, so that a schedule that
 * never fires is noticed too.
 */
export function freshnessOf(
  { name, schedule }: Pick<EntitySettings, 'name' | 'schedule'>,
  { since, publishedAt }: LastPublication,
  now: number,
): Freshness {
  const from = Math.max(Date.parse(since), publishedAt === undefined ? 0 : Date.parse(publishedAt))
  return {
    entity: name,
    ageSeconds: Math.max(0, Math.round((now - from) / 1000)),
    maxAgeSeconds: maxAgeSeconds(schedule, now),
  }
}

/** The age of an entity's last window. Three increments in a row may fail, and half an hour may pass. */
export function windowFreshnessOf(
  { name, schedule }: { readonly name: string; readonly schedule: string },
  { since, to }: { readonly since: string; readonly to: string | undefined },
  now: number,
): Freshness {
  return {
    ...freshnessOf({ name, schedule }, { since, publishedAt: to }, now),
    maxAgeSeconds: maxWindowAgeSeconds(schedule, now),
  }
}

export const isStale = ({ ageSeconds, maxAgeSeconds }: Freshness) =>
  maxAgeSeconds !== undefined && ageSeconds >= maxAgeSeconds
