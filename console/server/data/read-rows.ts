import type { EntityFacts } from '../../../functions/problems/facts.ts'
import type { EntityLookContext, withoutSchedules } from '../../../functions/problems/read-facts.ts'
import { readEntities } from '../../../functions/problems/read-facts.ts'
import { mapPooled } from '../../../functions/runtime/map-pooled.ts'
import type { EntitySettings } from '../../../functions/runtime/settings.ts'
import type { ScheduleFact } from '../../../operator/deployment/schedules.ts'
import type { Syncs } from '../../../operator/sync/syncs.ts'
import type { ChangesLatest } from '../../../stored/changes/changes-latest.ts'
import { entityRow, type RowWithoutProblems } from './entity-row.ts'
import type { createNextRuns } from './next-runs.ts'

export interface EntitySources {
  readonly syncs: Pick<Syncs, 'readWith'>
  readonly look: Omit<EntityLookContext, keyof typeof withoutSchedules>
  readonly readNext: ReturnType<typeof createNextRuns>['read']
  readonly scheduleStateOf: (
    entity: EntitySettings,
    deployed: readonly ScheduleFact[] | undefined,
  ) => EntityFacts['schedules']
}

export interface ReadEntity {
  readonly row: RowWithoutProblems
  readonly chain: ChangesLatest | undefined
  readonly facts: EntityFacts
}

const maxConcurrentReads = 24

/** The rows of these entities, in their order, and what decides about their problems. */
export async function readRows(
  { syncs, look, readNext, scheduleStateOf }: EntitySources,
  list: readonly EntitySettings[],
): Promise<ReadEntity[]> {
  const next = await readNext()
  const schedulesOf = (entity: EntitySettings) => scheduleStateOf(entity, next(entity.name).deployed)
  const { changes, chains } = remembering(look.changes)
  const read = await readEntities({ ...look, changes, schedulesOf }, list)
  const [unread] = read.unread
  if (unread) throw unread.failure
  return mapPooled(read.entities, maxConcurrentReads, async (facts) => {
    const { settings, state } = facts
    const { name } = settings
    const view = await syncs.readWith(name, state)
    const chain = chains.get(name)
    const row = entityRow(settings, { view, chain, next: next(name).nextWith(view.pause), facts })
    return { row, chain, facts }
  })
}

/** What is read of the change sets of entities to find problems, so that it is not read twice. */
function remembering(changes: EntityLookContext['changes']) {
  const chains = new Map<string, ChangesLatest>()
  return {
    chains,
    changes: {
      ...changes,
      async readLatest(entity: string) {
        const latest = await changes.readLatest(entity)
        if (latest) chains.set(entity, latest.value)
        return latest
      },
    },
  }
}
