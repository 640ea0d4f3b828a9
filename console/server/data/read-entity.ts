import type { EntityFacts } from '../../../functions/problems/facts.ts'
import {
  type LookContext,
  readEntities,
  type withoutSchedules,
} from '../../../functions/problems/read-facts.ts'
import type { EntitySettings } from '../../../functions/runtime/settings.ts'
import type { ChangesLatest } from '../../../functions/state/changes/changes-latest.ts'
import { absentIfUnreadable } from '../../../functions/state/unreadable-object.ts'
import type { ScheduleFact } from '../../../operator/schedules/deployed.ts'
import type { Syncs } from '../../../operator/sync/syncs.ts'
import type { EntityRow } from '../../contract/overview.ts'
import { entityRow } from './entity-row.ts'
import type { createNextRuns } from './next-runs.ts'
import type { CommandLine } from './problem-row.ts'

export interface EntitySources {
  readonly syncs: Pick<Syncs, 'read'>
  readonly look: Omit<LookContext, keyof typeof withoutSchedules | 'snapshots'>
  readonly readNext: ReturnType<typeof createNextRuns>['read']
  readonly scheduleStateOf: (
    entity: EntitySettings,
    deployed: readonly ScheduleFact[] | undefined,
  ) => EntityFacts['schedules']
  readonly command: CommandLine
}

export interface ReadEntity {
  readonly row: EntityRow
  readonly chain: ChangesLatest | undefined
  readonly facts: EntityFacts
}

/** The row of an entity and what decides about its problems. */
export async function readEntity(
  { syncs, look, readNext, scheduleStateOf, command }: EntitySources,
  settings: EntitySettings,
): Promise<ReadEntity> {
  const { name } = settings
  const { nextWith, deployed } = (await readNext())(name)
  const schedulesOf = () => scheduleStateOf(settings, deployed)
  const [view, stored, read] = await Promise.all([
    syncs.read(name),
    settings.changes === false ? undefined : look.changes.readLatest(name).catch(absentIfUnreadable),
    readEntities({ ...look, schedulesOf }, [settings]),
  ])
  const [unread] = read.unread
  if (unread) throw unread.failure
  const [facts] = read.entities as [EntityFacts]
  const chain = stored?.value
  const next = nextWith(view.pause)
  return { row: entityRow(settings, { view, chain, next, facts, command }), chain, facts }
}
