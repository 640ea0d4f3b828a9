import { maxGapSeconds } from '../../../functions/runtime/schedule-gap.ts'
import type { EntitySettings } from '../../../functions/runtime/settings.ts'
import type { Freshness } from '../../contract.ts'

/** One run may fail, as in the freshness alarm: a snapshot is stale after two intervals. */
const maxIntervals = 2

/** The age of a snapshot that was published at this time (ISO 8601; undefined if none was). */
export function freshnessOf(
  { enabled, schedule }: Pick<EntitySettings, 'enabled' | 'schedule'>,
  publishedAt: string | undefined,
  now: number,
): Freshness {
  if (publishedAt === undefined) return { kind: 'never' }
  const ageMs = Math.max(0, now - Date.parse(publishedAt))
  const gapSeconds = enabled ? maxGapSeconds(schedule, now) : undefined
  if (gapSeconds === undefined) return { kind: 'unscheduled', ageMs }
  const maxAgeMs = maxIntervals * gapSeconds * 1000
  return { kind: ageMs < maxAgeMs ? 'fresh' : 'stale', ageMs, maxAgeMs }
}
