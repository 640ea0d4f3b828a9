import type { EntitySettings } from '../runtime/settings.ts'

/** Since when an entity has the schedule that it has, by the entity's name. Times are ISO 8601 in UTC. */
export type WatchedSince = Readonly<Record<string, { readonly schedule: string; readonly since: string }>>

export interface Freshness {
  readonly entity: string
  readonly ageSeconds: number
  /** Of the published snapshot; absent before the first. */
  readonly documents?: number
}

/**
 * What is watched from now on: enabled entities, each from when it was first met with its schedule. One that is new,
 * enabled again or scheduled otherwise begins anew, so that nobody is woken before its first run is due.
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
 * How old an entity's copy is. An entity that never published is as old as its schedule, so that a schedule that never
 * fires is seen too.
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
