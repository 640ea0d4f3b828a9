import { dayMs } from '../../runtime/durations.ts'
import type { Manifest } from '../snapshots/manifest.ts'
import { changesPrefix, setManifestKey } from './change-keys.ts'
import type { FullSetManifest, IncrementManifest } from './changes.ts'
import {
  type ChainSnapshot,
  type ChangesLatest,
  deliveredKeysOf,
  type FullSetSummary,
  type IncrementWindow,
  type LastingFailure,
  type SetSummary,
} from './changes-latest.ts'

/** Objects are kept longer than their entry in the list, so that links that were just issued keep working. */
const graceDays = 1

export interface Retention {
  readonly keepDays: number
  readonly now: number
}

/** Sets that a chain with increments lists. Every increment writes the list. */
const maxSets = 300

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

/** What an increment writes into the chain, and which sets the chain keeps. */
export interface EndedIncrement extends Retention {
  readonly snapshot: ChainSnapshot
  readonly window: IncrementWindow
}

/** The chain after an increment that found nothing new. */
export function moveWindow(
  chain: ChangesLatest,
  { snapshot, window }: Pick<EndedIncrement, 'snapshot' | 'window'>,
): ChangesLatest {
  return { ...withoutComparison(chain), snapshot, window }
}

/** The chain with one more increment. Its snapshot, and what is known of comparisons from it, stay. */
export function extendByIncrement(
  chain: ChangesLatest,
  manifest: IncrementManifest,
  { snapshot, window: { snapshot: of, coveredFrom }, ...retention }: EndedIncrement,
): ChangesLatest {
  const { entity, runId, base, kind, records, from, to, delivered } = manifest
  const window = { snapshot: of, coveredFrom, from, to }
  const summary: SetSummary = { runId, base, kind, records, manifest: setManifestKey(entity, runId) }
  const sets = listed([...chain.sets, summary], retention)
  const kept = withoutComparison(chain)
  return { ...kept, tip: runId, sets, announced: false, snapshot, window, delivered }
}

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

const maxFailures = 3

/** Whether comparisons from the tip have failed so often and for so long that the chain starts again. */
export function keepsFailing({ failures }: ChangesLatest): boolean {
  if (!failures) return false
  return failures.count >= maxFailures && Date.parse(failures.last) - Date.parse(failures.first) >= dayMs
}

function summaryOf(manifest: FullSetManifest): FullSetSummary {
  const { entity, runId, base, kind } = manifest
  const counts = manifest.kind === 'reset' ? { created: 0, updated: 0, deleted: 0 } : manifest
  const { created, updated, deleted } = counts
  const summary = { runId, base, kind, created, updated, deleted, manifest: setManifestKey(entity, runId) }
  const absentSince = manifest.kind === 'changes' ? manifest.absentSince : undefined
  return absentSince === undefined ? summary : { ...summary, absentSince }
}

/** The sets that lead from the state of a run to the tip; undefined if the chain does not lead there from it. */
export function setsSince(chain: ChangesLatest, since: string): readonly SetSummary[] | undefined {
  if (since === chain.tip) return []
  const first = chain.sets.findIndex(({ base }) => base === since)
  return first < 0 ? undefined : chain.sets.slice(first)
}

/** The objects of sets that have expired and of comparisons that were not published. What the tip needs never expires. */
export function expiredObjects(
  entity: string,
  keys: readonly string[],
  { chain, keepDays, now }: Retention & { readonly chain: ChangesLatest },
): string[] {
  const oldest = runIdTime(now - (keepDays + graceDays) * dayMs)
  const listed = new Set(chain.sets.map(({ runId }) => runId))
  const prefix = changesPrefix(entity)
  return keys.filter((key) => {
    const [run = '', name] = key.slice(prefix.length).split('/')
    if (deliveredKeysOf(chain).includes(key)) return false
    return name !== undefined && run < chain.tip && run < oldest && !listed.has(run)
  })
}

/** The prefix of the ids of runs that start at this time. Ids sort by time. */
export function runIdTime(time: number): string {
  return new Date(time).toISOString().replaceAll(/[-:.]/g, '')
}
