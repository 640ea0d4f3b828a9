import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../runtime/log.ts'
import { mapPooled } from '../runtime/map-pooled.ts'
import { metricFields } from '../runtime/metrics.ts'
import type { EntitySettings } from '../runtime/settings.ts'
import type { StateStore } from '../state/sync-state.ts'
import { type Freshness, freshnessOf, isStale, watchedSince } from './freshness.ts'
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
    const { latest } = await check.state.readEntity(entity.name)
    const publication = { since: watched[entity.name]?.since ?? '', publishedAt: latest?.publishedAt }
    return freshnessOf(entity, publication, now())
  })
  report(check.log, found)
  return found
}

function report(log: Log, found: readonly Freshness[]): void {
  const stale = found.filter(isStale)
  for (const freshness of stale) log('WARN', 'snapshot stale', { ...freshness })
  log('INFO', 'freshness', { entities: found.length, ...metricFields({ StaleSnapshots: stale.length }, {}) })
}
