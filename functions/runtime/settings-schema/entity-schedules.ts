import { parseJson } from '../json-object.ts'
import type { EntitySettings } from './entity.ts'

export type ScheduledStart = 'full' | 'increment'

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

/** What somebody calls an execution that the schedule starts. */
export const startedName = (starts: ScheduledStart): string => (starts === 'full' ? 'run' : 'increment')

const detailType = 'Scheduled Sync'

/**
 * What a schedule sends. The state machine reads `repeat`. The worker reads `detail`, as in an event of EventBridge: the
 * worker of 1.0.0 refuses an input with `repeat`, and after a rollback it continues the runs of this version.
 */
export function scheduledInput(entity: string, starts: ScheduledStart) {
  const detail = { entity, ...(starts === 'increment' && { increment: true }) }
  return { ...detail, ...(starts === 'full' && { repeat: true }), 'detail-type': detailType, detail }
}

/** Whether a schedule started what has this input, so that a pause of its entity stops it. */
export const isScheduledInput = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && 'detail-type' in input && input['detail-type'] === detailType

/** What a schedule with this input starts; an empty name if that is not known. */
export function readScheduledInput(text = ''): { readonly entity: string; readonly starts: ScheduledStart } {
  const { entity = '', increment } = Object(parseJson(text)) as Record<string, unknown>
  return { entity: String(entity), starts: increment === true ? 'increment' : 'full' }
}
