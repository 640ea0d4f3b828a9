import type { EntitySettings } from './entity.ts'

/** What a schedule starts. */
export type ScheduledStart = 'full' | 'increment'

/** A schedule of an entity, as it is configured. */
export interface EntitySchedule {
  readonly starts: ScheduledStart
  readonly expression: string
  readonly timezone: string
}

/** The schedules of an entity, that of its full syncs first. */
export const schedulesOf = ({
  schedule,
  timezone,
  increments,
}: Pick<EntitySettings, 'schedule' | 'timezone' | 'increments'>): readonly EntitySchedule[] => [
  { starts: 'full', expression: schedule, timezone },
  ...(increments ? [{ starts: 'increment', expression: increments.schedule, timezone } as const] : []),
]

/** `The schedule of CL`. */
export const scheduleSubject = (entity: string, starts: ScheduledStart): string =>
  starts === 'full' ? `The schedule of ${entity}` : `The schedule of increments of ${entity}`
