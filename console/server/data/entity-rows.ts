import type { EntitySettings } from '../../../functions/runtime/settings.ts'
import { type EntitySources, type ReadEntity, readRows } from './read-rows.ts'

interface Cached {
  readonly row: Promise<ReadEntity>
  readonly readAt: number
  maxAgeMs: number
}

const runningAgeMs = 900
const idleAgeMs = 4_000
/** Many entities are read less often, so that a page that stays open costs little. */
const idleAgePerEntityMs = 50

/** The rows of all entities. Each is read again when it is too old: at once while its sync scrolls. */
export function createEntityRows(entities: readonly EntitySettings[], sources: EntitySources) {
  const cache = new Map<string, Cached>()
  const maxIdleAgeMs = Math.max(idleAgeMs, entities.length * idleAgePerEntityMs)

  function isDue({ name }: EntitySettings): boolean {
    const known = cache.get(name)
    return !known || Date.now() - known.readAt >= known.maxAgeMs
  }

  /** Reads rows together, which takes fewer requests than one by one. */
  function read(due: readonly EntitySettings[]): void {
    const rows = readRows(sources, due)
    for (const [index, { name }] of due.entries()) {
      const row = rows.then((all) => all[index] as ReadEntity)
      const entry: Cached = { row, readAt: Date.now(), maxAgeMs: maxIdleAgeMs }
      cache.set(name, entry)
      row.then(
        ({ row: { running } }) => {
          if (running) entry.maxAgeMs = running.status === 'waiting' ? idleAgeMs : runningAgeMs
        },
        () => cache.delete(name),
      )
    }
  }

  return {
    list(): Promise<ReadEntity[]> {
      const due = entities.filter(isDue)
      if (due.length > 0) read(due)
      return Promise.all(entities.flatMap(({ name }) => cache.get(name)?.row ?? []))
    },

    /** Performs an action after which the entity's row is read again. */
    async change<T>(entity: string, action: () => Promise<T>): Promise<T> {
      const result = await action()
      cache.delete(entity)
      return result
    },
  }
}
