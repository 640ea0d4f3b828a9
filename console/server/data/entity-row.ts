import type { EntitySettings } from '../../../functions/runtime/settings.ts'
import { type ChangesLatest, chainSnapshotRun } from '../../../functions/state/changes/changes.ts'
import { hasEnded } from '../../../functions/state/run/run.ts'
import type { Syncs } from '../../../operator/sync/syncs.ts'
import type { AttentionRow, ChangesRow, EntityRow, IncrementsRow, NextRun } from '../../contract/overview.ts'
import { setRow } from '../document-views/records.ts'
import { freshnessOf } from './freshness.ts'

export type EntityOfSyncs = Awaited<ReturnType<Syncs['read']>>

export interface EntityState {
  readonly view: EntityOfSyncs
  readonly chain: ChangesLatest | undefined
  readonly next: NextRun
  readonly attention: readonly AttentionRow[]
  readonly now: number
}

/** What is known of an entity, as the overview shows it. */
export function entityRow(
  settings: EntitySettings,
  { view, chain, next, attention, now }: EntityState,
): EntityRow {
  const { entity, schedule, timezone, enabled, increments, running, snapshot, runs } = view
  const published = runs.filter(({ status }) => status === 'published')
  return {
    entity,
    schedule,
    timezone,
    enabled,
    next,
    freshness: freshnessOf(settings, snapshot?.publishedAt, now),
    snapshot,
    proof: published.find(({ runId }) => runId === snapshot?.runId)?.proof ?? null,
    changes: changesRow(settings, chain, snapshot?.runId),
    increments: increments && incrementsRow(increments),
    running,
    lastRun: runs.find((run) => hasEnded(run) && run.status !== 'skipped') ?? null,
    attention,
    trend: published.map(({ documents }) => documents).toReversed(),
  }
}

const incrementsRow = ({
  schedule,
  window,
  recordsLastDay,
  last,
}: NonNullable<EntityOfSyncs['increments']>): IncrementsRow => ({
  schedule,
  windowEnd: window?.to ?? null,
  recordsLastDay,
  reason: last?.reason ?? null,
})

function changesRow(
  { changes }: Pick<EntitySettings, 'changes'>,
  chain: ChangesLatest | undefined,
  published: string | undefined,
): ChangesRow {
  if (changes === false) return { kind: 'off' }
  const set = chain?.sets.at(-1)
  if (!chain || !set) return { kind: 'none' }
  return { kind: 'last', set: setRow(set), isCurrent: chainSnapshotRun(chain) === published }
}
