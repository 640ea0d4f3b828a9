import { mapPooled } from '../../../functions/runtime/map-pooled.ts'
import type { EntitySettings } from '../../../functions/runtime/settings.ts'
import { type EntitySources, type ReadEntity, readEntity } from './read-entity.ts'

interface Cached {
  readonly row: Promise<ReadEntity>
  readonly readAt: number
  maxAgeMs: number
}

const maxConcurrentReads = 24
const runningAgeMs = 900
const idleAgeMs = 4_000
/** Many entities are read less often, so that a page that stays open costs little. */
const idleAgePerEntityMs = 50

/** The rows of all entities. Each is read again when it is too old: at once while its sync scrolls. */
export function createEntityRows(entities: readonly EntitySettings[], sources: EntitySources) {
  const cache = new Map<string, Cached>()
  const maxIdleAgeMs = Math.max(idleAgeMs, entities.length * idleAgePerEntityMs)

  function cachedRow(settings: EntitySettings): Promise<ReadEntity> {
    const known = cache.get(settings.name)
    if (known && Date.now() - known.readAt < known.maxAgeMs) return known.row
    const entry: Cached = {
      row: readEntity(sources, settings),
      readAt: Date.now(),
      maxAgeMs: maxIdleAgeMs,
    }
    cache.set(settings.name, entry)
    entry.row.then(
      ({ row: { running } }) => {
        if (running) entry.maxAgeMs = running.status === 'waiting' ? idleAgeMs : runningAgeMs
      },
      () => cache.delete(settings.name),
    )
    return entry.row
  }

  return {
    list: () => mapPooled(entities, maxConcurrentReads, cachedRow),

    /** Performs an action after which the entity's row is read again. */
    async change<T>(entity: string, action: () => Promise<T>): Promise<T> {
      const result = await action()
      cache.delete(entity)
      return result
    },
  }
}
