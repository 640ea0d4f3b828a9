import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../runtime/log.ts'
import { metricFields } from '../runtime/metrics.ts'
import type { EntitySettings } from '../runtime/settings.ts'
import type { StateStore } from '../state/sync-state.aws.ts'
import { type Freshness, freshnessOf, watchedSince } from './freshness.ts'
import type { WatchStore } from './watch.aws.ts'

export interface CheckContext {
  readonly entities: readonly EntitySettings[]
  readonly state: Pick<StateStore, 'readEntity'>
  readonly watch: WatchStore
  readonly log: Log
  readonly now: () => number
}

const maxConcurrentReads = 10

/** Logs the age of each scheduled entity's snapshot, with the metrics of the alarms. */
export async function checkFreshness({
  entities,
  state,
  watch,
  log,
  now,
}: CheckContext): Promise<Freshness[]> {
  const known = await watch.read()
  const watched = watchedSince(entities, known, now())
  if (!isDeepStrictEqual(known, watched)) await watch.write(watched)

  const waiting = Object.entries(watched)
  const results: Freshness[] = []
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [entity, { since }] = next
      const { latest } = await state.readEntity(entity)
      results.push(freshnessOf(entity, { since, latest }, now()))
    }
  }
  await Promise.all(Array.from({ length: maxConcurrentReads }, work))
  for (const freshness of results) logFreshness(log, freshness)
  return results
}

function logFreshness(log: Log, { entity, ageSeconds, documents }: Freshness): void {
  const metrics = {
    SnapshotAgeSeconds: ageSeconds,
    ...(documents !== undefined && { SnapshotDocuments: documents }),
  }
  log('INFO', 'freshness', { entity, ageSeconds, documents, ...metricFields(metrics, { Entity: entity }) })
}
