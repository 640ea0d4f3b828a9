import { maxAgeSeconds } from '../../../functions/runtime/schedule-gap.ts'
import type { EntitySettings } from '../../../functions/runtime/settings.ts'
import type { Freshness } from '../../contract/overview.ts'

/**
 * The age of a snapshot that was published at this time (ISO 8601; undefined if none was). The freshness alarm calls the
 * same snapshots stale.
 */
export function freshnessOf(
  { enabled, schedule }: Pick<EntitySettings, 'enabled' | 'schedule'>,
  publishedAt: string | undefined,
  now: number,
): Freshness {
  if (publishedAt === undefined) return { kind: 'never' }
  const ageMs = Math.max(0, now - Date.parse(publishedAt))
  const maxSeconds = enabled ? maxAgeSeconds(schedule, now) : undefined
  if (maxSeconds === undefined) return { kind: 'unscheduled', ageMs }
  const maxAgeMs = maxSeconds * 1000
  return { kind: ageMs < maxAgeMs ? 'fresh' : 'stale', ageMs, maxAgeMs }
}
