import { readChainState } from '../../../functions/problems/chain-state.ts'
import type { EntitySettings } from '../../../functions/runtime/settings.ts'
import type { ChangeSetStore } from '../../../functions/state/changes/change-sets.aws.ts'
import type { ChangesLatest } from '../../../functions/state/changes/changes.ts'
import type { TableStore } from '../../../functions/state/tables/tables.aws.ts'
import { entityItems, type ScheduleState } from '../../../operator/attention/entity-items.ts'
import type { AttentionItem } from '../../../operator/attention/item.ts'
import type { ScheduleFact } from '../../../operator/schedules/deployed.ts'
import type { Syncs } from '../../../operator/sync/syncs.ts'
import { type ReadTable, readTable } from '../../../operator/tables/read-tables.ts'
import type { EntityRow } from '../../contract/overview.ts'
import { attentionRow } from './attention.ts'
import { entityRow } from './entity-row.ts'
import type { createNextRuns } from './next-runs.ts'

export interface EntitySources {
  readonly syncs: Pick<Syncs, 'read'>
  readonly changes: Pick<ChangeSetStore, 'readLatest' | 'readRefused'>
  readonly tables: Pick<TableStore, 'readLatest' | 'readFailure'>
  readonly readNext: ReturnType<typeof createNextRuns>
  readonly scheduleState: (entity: string, deployed: readonly ScheduleFact[] | undefined) => ScheduleState
  /** A command line for this deployment. */
  readonly command: (args: string) => string
  /** Epoch milliseconds. */
  readonly now: () => number
}

export interface ReadEntity {
  readonly row: EntityRow
  readonly chain: ChangesLatest | undefined
  readonly items: readonly AttentionItem[]
}

const noTable: ReadTable = { latest: undefined, state: { kind: 'off' } }

/** The row of an entity and what waits for a person there, read at the same time. */
export async function readEntity(
  { syncs, changes, tables, readNext, scheduleState, command, now }: EntitySources,
  settings: EntitySettings,
): Promise<ReadEntity> {
  const { name } = settings
  const [view, stored, scheduleOf] = await Promise.all([
    syncs.read(name),
    settings.changes === false ? undefined : changes.readLatest(name),
    readNext(),
  ])
  const chain = stored?.value
  const { next, deployed } = scheduleOf(name)
  const time = now()
  const { snapshot } = view
  const [state, table] = await Promise.all([
    readChainState(changes, name, { snapshot, chain, now: time }),
    settings.columns ? readTable(tables, name, { snapshot, now: time }) : noTable,
  ])
  const schedule = scheduleState(name, deployed)
  const items = entityItems({ view, chain: state, table: table.state, schedule, now: time, command })
  const row = entityRow(settings, { view, chain, next, attention: items.map(attentionRow), now: time })
  return { row, chain, items }
}
