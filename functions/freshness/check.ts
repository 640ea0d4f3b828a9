import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../runtime/log.ts'
import { mapPooled } from '../runtime/map-pooled.ts'
import { metricFields } from '../runtime/metrics.ts'
import type { EntitySettings } from '../runtime/settings.ts'
import type { StateStore } from '../state/sync-state.ts'
import {
  type Freshness,
  freshnessOf,
  incrementsOf,
  isStale,
  watchedSince,
  windowFreshnessOf,
} from './freshness.ts'
import type { WatchStore } from './watch.ts'

export interface CheckContext {
  readonly entities: readonly EntitySettings[]
  readonly state: Pick<StateStore, 'readEntity'>
  readonly watch: WatchStore
  readonly log: Log
  readonly now: () => number
}

const maxConcurrentReads = 10

/** Finds the age of every scheduled entity's snapshot. Logs each stale one, and their number as a metric. */
export async function checkFreshness(check: CheckContext): Promise<Freshness[]> {
  const { entities, watch, now } = check
  const known = await watch.read()
  const watched = watchedSince(entities, known, now())
  if (!isDeepStrictEqual(known, watched)) await watch.write(watched)

  const scheduled = entities.filter(({ name }) => watched[name])
  const found = await mapPooled(scheduled, maxConcurrentReads, async (entity) => {
    const { latest, increments: status } = await check.state.readEntity(entity.name)
    const sinceOf = (name: string) => watched[name]?.since ?? ''
    const publication = { since: sinceOf(entity.name), publishedAt: latest?.publishedAt }
    const windows = { since: sinceOf(incrementsOf(entity.name)), to: status?.window?.to }
    const { name, increments } = entity
    return {
      snapshot: freshnessOf(entity, publication, now()),
      window: increments && windowFreshnessOf({ name, schedule: increments.schedule }, windows, now()),
    }
  })
  const snapshots = found.map(({ snapshot }) => snapshot)
  report(
    check.log,
    snapshots,
    found.flatMap(({ window }) => window ?? []),
  )
  return snapshots
}

function report(log: Log, found: readonly Freshness[], windows: readonly Freshness[]): void {
  const stale = found.filter(isStale)
  const staleWindows = windows.filter(isStale)
  for (const freshness of stale) log('WARN', 'snapshot stale', { ...freshness })
  for (const freshness of staleWindows) log('WARN', 'increments stale', { ...freshness })
  const metrics = {
    StaleSnapshots: stale.length,
    ...(windows.length > 0 && { StaleIncrements: staleWindows.length }),
  }
  log('INFO', 'freshness', { entities: found.length, ...metricFields(metrics, {}) })
}
