import type { Configuration } from '../../lib/config.ts'

/** What a schedule starts. */
export type ScheduledStart = 'full' | 'increment'

/** A schedule of an entity, as far as it decides when something starts. */
export interface PlannedSchedule {
  readonly entity: string
  readonly starts: ScheduledStart
  readonly expression: string
  readonly timezone: string
  readonly enabled: boolean
  /** Epoch milliseconds. The intervals of a rate are counted from here. */
  readonly startsAt: number
}

/** The schedules that `npm start` runs: those that a deployment of its configuration would have. */
export function plannedSchedules(
  { entities }: Pick<Configuration, 'entities'>,
  startsAt: number,
): PlannedSchedule[] {
  return entities
    .filter(({ enabled }) => enabled)
    .flatMap(({ name: entity, schedule, timezone, increments }) => {
      const planned = { entity, timezone, enabled: true, startsAt }
      return [
        { ...planned, starts: 'full', expression: schedule } as const,
        ...(increments
          ? [{ ...planned, starts: 'increment', expression: increments.schedule } as const]
          : []),
      ]
    })
}
