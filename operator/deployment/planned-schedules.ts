import { type EntitySchedule, schedulesOf } from '../../functions/runtime/settings-schema/entity-schedules.ts'
import type { Configuration } from '../../lib/config.ts'

/** A schedule of an entity, as far as it decides when something starts. */
export interface PlannedSchedule extends EntitySchedule {
  readonly entity: string
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
    .flatMap((entity) =>
      schedulesOf(entity).map((schedule) => ({ ...schedule, entity: entity.name, enabled: true, startsAt })),
    )
}
