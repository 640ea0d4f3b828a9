import { dayMs } from '../../functions/runtime/durations.ts'
import type { Manifest } from '../snapshots/manifest.ts'
import { countsOf } from './chain-facts.ts'
import { runIdTime, setManifestKey } from './change-keys.ts'
import type { FullSetManifest, IncrementManifest } from './changes.ts'
import type {
  ChainSnapshot,
  ChangesLatest,
  FullSetSummary,
  IncrementWindow,
  LastingFailure,
  SetSummary,
} from './changes-latest.ts'

export interface Retention {
  readonly keepDays: number
  readonly now: number
}

/** Sets that a chain with increments lists. Every increment writes the list. */
export const maxSets = 300

/**
 * The chain with one more set of a comparison. A reset drops the sets before it, which lead to a state that no set
 * continues, and what increments delivered. `snapshot` is the set's own, for increments.
 */
export function extendChain(
  chain: ChangesLatest | undefined,
  manifest: FullSetManifest,
  { keepDays, now, snapshot }: Retention & { readonly snapshot?: ChainSnapshot | undefined },
): ChangesLatest {
  const isReset = manifest.kind === 'reset'
  const { sets = [], window } = chain ?? {}
  const delivered = (manifest.kind === 'changes' ? manifest.delivered : undefined) ?? chain?.delivered
  const kept = isReset ? [] : sets
  return {
    tip: manifest.runId,
    sets: listed([...kept, summaryOf(manifest)], { keepDays, now }),
    announced: false,
    reset: null,
    failures: null,
    ...(snapshot && { snapshot }),
    ...(window && { window }),
    ...(delivered && !isReset && { delivered, deliveredBefore: delivered }),
  }
}

/** A snapshot as increments need it. */
export function chainSnapshotOf(
  { runId, openedAt, query, idField, uniqueIds, republishedFrom }: Manifest,
  ignore: readonly string[],
): ChainSnapshot {
  const snapshot = { runId, openedAt, query, idField, ignore, uniqueIds }
  return republishedFrom === undefined ? snapshot : { ...snapshot, republishedFrom }
}

/** What every increment changes. */
interface EndedIncrement {
  readonly snapshot: ChainSnapshot
  readonly window: IncrementWindow
}

/** The chain with one more increment. Its snapshot, and what is known of comparisons from it, stay. */
export function extendByIncrement(
  chain: ChangesLatest,
  manifest: IncrementManifest,
  { snapshot, window, ...retention }: Retention & EndedIncrement,
): ChangesLatest {
  const { entity, runId, base, kind, records, delivered } = manifest
  const summary: SetSummary = { runId, base, kind, records, manifest: setManifestKey(entity, runId) }
  const sets = listed([...chain.sets, summary], retention)
  return { ...moveWindow(chain, { snapshot, window }), tip: runId, sets, announced: false, delivered }
}

/** The chain after an increment that found nothing new. */
export const moveWindow = (chain: ChangesLatest, ended: EndedIncrement): ChangesLatest => ({
  ...withoutComparison(chain),
  ...ended,
})

/** The sets that stay in the list; the last one always does, and no set between two others is left out. */
function listed(sets: readonly SetSummary[], { keepDays, now }: Retention): readonly SetSummary[] {
  const oldest = runIdTime(now - keepDays * dayMs)
  // The set of a run that waited, or was accepted later, is younger than its run id, so all sets after the first young
  // one stay.
  const young = sets.findIndex(({ runId }) => runId >= oldest)
  const kept = sets.slice(young < 0 ? -1 : young)
  return kept.some(({ kind }) => kind === 'increment') ? kept.slice(-maxSets) : kept
}

/** The chain without the record that a comparison is in progress. */
export function withoutComparison({ comparing: _comparing, ...chain }: ChangesLatest): ChangesLatest {
  return chain
}

/** The chain after a comparison from its snapshot failed for a reason that lasts. */
export function withFailure(
  chain: ChangesLatest,
  { reason, kind, now }: { readonly reason: string; readonly kind: LastingFailure; readonly now: number },
): ChangesLatest {
  const last = new Date(now).toISOString()
  const { count, first } = chain.failures ?? { count: 0, first: last }
  return { ...chain, failures: { count: count + 1, first, last, reason, kind } }
}

function summaryOf(manifest: FullSetManifest): FullSetSummary {
  const { entity, runId, base, kind } = manifest
  const { created, updated, deleted } = countsOf(manifest)
  const summary = { runId, base, kind, created, updated, deleted, manifest: setManifestKey(entity, runId) }
  const absentSince = manifest.kind === 'changes' ? manifest.absentSince : undefined
  return absentSince === undefined ? summary : { ...summary, absentSince }
}
