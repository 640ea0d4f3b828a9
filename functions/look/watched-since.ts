import { type WatchedSince, watchedName } from '../problems/look-items.ts'
import type { Settings } from '../runtime/settings.ts'
import { schedulesOf } from '../runtime/settings-schema/entity-schedules.ts'

/**
 * The entities to watch: those that are enabled, each since its current schedule was first seen. One that is new,
 * enabled again or rescheduled starts over: no alarm fires before its first run. The daily task erases of all entities.
 */
export function watchedSince(
  { entities, eraseWithinDays }: Pick<Settings, 'entities' | 'eraseWithinDays'>,
  known: WatchedSince,
  now: number,
): WatchedSince {
  const enabled = entities.filter((entity) => entity.enabled)
  const schedules = enabled.flatMap((entity) =>
    schedulesOf(entity).map(
      ({ starts, expression, timezone }) =>
        [watchedName(entity.name, starts), `${expression} ${timezone}`] as const,
    ),
  )
  const erased = eraseWithinDays === undefined ? [] : entities
  const passes = erased.map(({ name }) => [watchedName(name, 'erasure'), 'eraseWithinDays'] as const)
  return Object.fromEntries(
    [...schedules, ...passes].map(([name, schedule]) => {
      const before = known[name]
      return [name, before?.schedule === schedule ? before : { schedule, since: new Date(now).toISOString() }]
    }),
  )
}
