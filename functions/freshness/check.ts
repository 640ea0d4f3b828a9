import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../runtime/log.ts'
import { metricFields } from '../runtime/metrics.ts'
import type { EntitySettings } from '../runtime/settings.ts'
import type { StateStore } from '../state/sync-state.aws.ts'
import { type Freshness, freshnessOf, watchedSince } from './freshness.ts'
import type { WatchStore } from './watch.aws.ts'

export interface CheckWorld {
  readonly entities: readonly EntitySettings[]
  readonly state: Pick<StateStore, 'readEntity'>
  readonly watch: WatchStore
  readonly log: Log
  readonly now: () => number
}

/** So many items are read at once. */
const breadth = 10

/** Says of each scheduled entity how old its copy is, in a line and as metrics that an alarm looks at. */
export async function checkFreshness({ entities, state, watch, log, now }: CheckWorld): Promise<Freshness[]> {
  const known = await watch.read()
  const watched = watchedSince(entities, known, now())
  if (!isDeepStrictEqual(known, watched)) await watch.write(watched)

  const rest = Object.entries(watched)
  const found: Freshness[] = []
  const work = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) {
      const [entity, { since }] = next
      const { latest } = await state.readEntity(entity)
      found.push(freshnessOf(entity, { since, latest }, now()))
    }
  }
  await Promise.all(Array.from({ length: breadth }, work))
  for (const freshness of found) logFreshness(log, freshness)
  return found
}

function logFreshness(log: Log, { entity, ageSeconds, documents }: Freshness): void {
  const metrics = {
    SnapshotAgeSeconds: ageSeconds,
    ...(documents !== undefined && { SnapshotDocuments: documents }),
  }
  log('INFO', 'freshness', { entity, ageSeconds, documents, ...metricFields(metrics, { Entity: entity }) })
}
