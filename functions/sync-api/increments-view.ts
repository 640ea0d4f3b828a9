import { dayMs } from '../runtime/durations.ts'
import type { EntitySettings } from '../runtime/settings.ts'
import type { IncrementStatus, LastIncrement } from '../state/entity-items.ts'

export type IncrementsView = NonNullable<ReturnType<typeof incrementsView>>

/** The increments of an entity as callers see them: the last window, its age, and what they delivered. */
export function incrementsView(
  { increments }: Pick<EntitySettings, 'increments'>,
  status: IncrementStatus | undefined,
  now: number,
) {
  if (!increments) return null
  const { schedule, lookbackMinutes } = increments
  const { window, last, records = {} } = status ?? {}
  const since = new Date(now - dayMs).toISOString().slice(0, 'yyyy-mm-ddThh'.length)
  const counts = Object.entries(records).filter(([hour]) => hour >= since)
  return {
    schedule,
    lookbackMinutes,
    window: window ?? null,
    /** From the end of the window, in seconds. */
    ageSeconds: window ? Math.max(0, Math.round((now - Date.parse(window.to)) / 1000)) : null,
    recordsLastDay: counts.reduce((sum, [, count]) => sum + count, 0),
    last: last ? lastView(last) : null,
  }
}

const lastView = ({ runId, status, reason, endedAt }: LastIncrement) => ({ runId, status, reason, endedAt })
