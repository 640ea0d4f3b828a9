import { mapPooled } from '../../../functions/runtime/map-pooled.ts'
import type { EntitySettings } from '../../../functions/runtime/settings.ts'
import type { ChangeSetStore } from '../../../functions/state/changes/change-sets.aws.ts'
import type { Syncs } from '../../../operator/sync/syncs.ts'
import type { EntityRow } from '../../contract.ts'
import { entityRow } from './entity-row.ts'
import type { createNextRuns } from './next-runs.ts'

export interface EntityRowsOptions {
  readonly entities: readonly EntitySettings[]
  readonly syncs: Pick<Syncs, 'read'>
  readonly changes: Pick<ChangeSetStore, 'readLatest'>
  readonly readNext: ReturnType<typeof createNextRuns>
  /** Epoch milliseconds. */
  readonly now: () => number
}

interface Cached {
  readonly row: Promise<EntityRow>
  readonly readAt: number
  isRunning: boolean
}

const maxConcurrentReads = 24
const runningAgeMs = 900
const idleAgeMs = 4_000
/** Many entities are read less often, so that a page that stays open costs little. */
const idleAgePerEntityMs = 50

/** The rows of all entities. Each is read again when it is too old: at once while its sync is running. */
export function createEntityRows({ entities, syncs, changes, readNext, now }: EntityRowsOptions) {
  const cache = new Map<string, Cached>()
  const maxIdleAgeMs = Math.max(idleAgeMs, entities.length * idleAgePerEntityMs)

  async function read(settings: EntitySettings): Promise<EntityRow> {
    const [view, chain, next] = await Promise.all([
      syncs.read(settings.name),
      settings.changes === false ? undefined : changes.readLatest(settings.name),
      readNext(),
    ])
    return entityRow(settings, { view, chain: chain?.value, next: next(settings.name), now: now() })
  }

  function cachedRow(settings: EntitySettings): Promise<EntityRow> {
    const known = cache.get(settings.name)
    const maxAgeMs = known?.isRunning ? runningAgeMs : maxIdleAgeMs
    if (known && Date.now() - known.readAt < maxAgeMs) return known.row
    const entry: Cached = { row: read(settings), readAt: Date.now(), isRunning: false }
    cache.set(settings.name, entry)
    entry.row.then(
      ({ running }) => {
        entry.isRunning = running !== null
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
