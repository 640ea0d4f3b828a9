import type { EntityFacts } from '../../../functions/problems/facts.ts'
import { isStale, snapshotFreshness } from '../../../functions/problems/freshness.ts'
import type { EntitySettings } from '../../../functions/runtime/settings.ts'
import type { Syncs } from '../../../operator/sync/syncs.ts'
import { chainSnapshotRun } from '../../../stored/changes/chain-facts.ts'
import type { ChangesLatest } from '../../../stored/changes/changes-latest.ts'
import { lastEnded } from '../../../stored/run/last-ended.ts'
import type { ChangesRow, EntityRow, NextRun, ShownFreshness } from '../../contract/overview.ts'
import { setRow } from '../document-views/records.ts'

export type EntityOfSyncs = Awaited<ReturnType<Syncs['read']>>

export interface EntityRowState {
  readonly view: EntityOfSyncs
  readonly chain: ChangesLatest | undefined
  readonly next: NextRun
  readonly facts: EntityFacts
}

/** The last look is read with the problems, for all entities at once. */
export type RowWithoutProblems = Omit<EntityRow, 'problems'>

/** What is known of an entity, as the overview shows it. */
export function entityRow(
  settings: EntitySettings,
  { view, chain, next, facts }: EntityRowState,
): RowWithoutProblems {
  const { pause: _, runs, ...shown } = view
  const { snapshot } = shown
  const published = runs.filter(({ status }) => status === 'published')
  return {
    ...shown,
    next,
    freshness: freshnessRow(facts),
    proof: published.find(({ runId }) => runId === snapshot?.runId)?.proof ?? null,
    changes: changesRow(settings, chain, snapshot?.runId),
    lastRun: lastEnded(runs) ?? null,
    trend: published.map(({ documents }) => documents).toReversed(),
  }
}

function freshnessRow(facts: EntityFacts): ShownFreshness {
  const freshness = snapshotFreshness(facts)
  const { ageMs, maxAgeMs } = freshness
  if (!facts.state.latest) return { kind: 'never' }
  if (maxAgeMs === undefined) return { kind: 'unscheduled', ageMs }
  return { kind: isStale(freshness, facts.now) ? 'stale' : 'fresh', ageMs, maxAgeMs }
}

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
