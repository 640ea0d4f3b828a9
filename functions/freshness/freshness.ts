import type { EntitySettings } from '../runtime/settings.ts'

/** By entity name: its schedule, and since when it has this schedule. Times are ISO 8601 in UTC. */
export type WatchedSince = Readonly<Record<string, { readonly schedule: string; readonly since: string }>>

export interface Freshness {
  readonly entity: string
  readonly ageSeconds: number
  /** Of the published snapshot; absent before the first publication. */
  readonly documents?: number
}

/**
 * The enabled entities and since when each has its schedule. A new, re-enabled or rescheduled entity starts now, so that
 * no alarm is raised before its first run is due.
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

/**
 * The age of an entity's snapshot. Before the first publication it is the age of the schedule, so that a schedule that
 * never starts a run is noticed too.
 */
export function freshnessOf(
  entity: string,
  known: { since: string; latest: { publishedAt: string; documents: number } | undefined },
  now: number,
): Freshness {
  const { since, latest } = known
  const from = Math.max(Date.parse(since), latest ? Date.parse(latest.publishedAt) : 0)
  const ageSeconds = Math.max(0, Math.round((now - from) / 1000))
  return { entity, ageSeconds, ...(latest && { documents: latest.documents }) }
}
