import type { ScheduledStart } from './settings-schema/entity-schedules.ts'

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
  try {
    const { entity, increment } = JSON.parse(text) as Record<string, unknown>
    return { entity: String(entity), starts: increment === true ? 'increment' : 'full' }
  } catch {
    return { entity: '', starts: 'full' }
  }
}
