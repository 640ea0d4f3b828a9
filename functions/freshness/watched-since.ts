import { erasureOf, incrementsOf, type WatchedSince } from '../problems/look-items.ts'
import type { Settings } from '../runtime/settings.ts'

/**
 * The entities to watch: those that are enabled, each since its current schedule was first seen. An entity that is
 * new, enabled again or rescheduled starts over, so that no alarm fires before its first run is due. The daily task erases
 * of all entities.
 */
export function watchedSince(
  { entities, eraseWithinDays }: Pick<Settings, 'entities' | 'eraseWithinDays'>,
  known: WatchedSince,
  now: number,
): WatchedSince {
  const enabled = entities.filter((entity) => entity.enabled)
  const schedules = enabled.flatMap(({ name, schedule, timezone, increments }) => [
    [name, `${schedule} ${timezone}`] as const,
    ...(increments ? [[incrementsOf(name), `${increments.schedule} ${timezone}`] as const] : []),
  ])
  const erased = eraseWithinDays === undefined ? [] : entities
  const passes = erased.map(({ name }) => [erasureOf(name), 'eraseWithinDays'] as const)
  return Object.fromEntries(
    [...schedules, ...passes].map(([name, schedule]) => {
      const before = known[name]
      return [name, before?.schedule === schedule ? before : { schedule, since: new Date(now).toISOString() }]
    }),
  )
}
