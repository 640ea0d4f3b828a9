import { dayMs } from '../../runtime/durations.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import { hasEnded, type Run, timeOfRunId } from '../../state/run/run.ts'
import { keptRuns } from '../../state/snapshots/kept-runs.ts'
import {
  attemptOfPageKey,
  belongsTo,
  type Manifest,
  manifestKey,
  refusedKey,
  snapshotsPrefix,
} from '../../state/snapshots/manifest.ts'

/** What an older run means for its objects. */
export type RunOutcome =
  /** Its manifest, if it has one, was published. */
  | 'published'
  /** So recently that a comparison may still be reading the snapshot that it replaced. */
  | 'just-published'
  /** A guard refused its snapshot, which can be reviewed and accepted until a newer one is published. */
  | 'refused'
  /** It ended without publishing. Nobody reads its objects. */
  | 'unpublished'
  /** A worker may still be writing. */
  | 'unknown'

/** Lambda ends a function after 15 minutes. Until then a worker that lost its run may still write. */
const maxLifetimeMs = 16 * 60_000

/** A run whose item has expired ended a month ago. It published if it has a manifest. */
export function runOutcomeOf(run: Run | undefined, now: number): RunOutcome {
  if (!run) return 'published'
  if (!hasEnded(run)) return 'unknown'
  const isRecent = now - Date.parse(run.endedAt) < maxLifetimeMs
  if (run.status === 'published') return isRecent ? 'just-published' : 'published'
  if (run.abandoned && isRecent) return 'unknown'
  return run.status === 'refused' ? 'refused' : 'unpublished'
}

/** What a run leaves at its end, when older objects are cleaned up. */
export interface EndedSnapshot {
  readonly outcome: 'published' | 'refused'
  /** The one that it would have had if it was refused. */
  readonly manifest: Manifest
  /** The run whose snapshot is published; undefined if there is none. */
  readonly published: string | undefined
}

export interface RetentionRules {
  readonly keepSnapshots: EntitySettings['keepSnapshots']
  /** The run whose snapshot the next comparison starts from. It is always kept. */
  readonly tip: string | undefined
  readonly runOutcomeOf: (runId: string) => RunOutcome
  /** Epoch milliseconds. */
  readonly now: number
}

/** Refused snapshots that can be reviewed, and for how long. */
const maxRefused = 7
const maxRefusedMs = 30 * dayMs

/**
 * Plans what to delete when a run was published or refused: snapshots beyond `keepSnapshots`, refused ones that are no
 * longer kept, pages that the new manifest dropped, pages of attempts that were given up, and objects of older runs that
 * ended otherwise. `keys` are all keys of the entity.
 */
export function planCleanUp(
  { outcome, manifest, published = '' }: EndedSnapshot,
  keys: readonly string[],
  { keepSnapshots, tip, runOutcomeOf, now }: RetentionRules,
): string[] {
  const { entity, runId } = manifest
  const runs = groupByRun(entity, keys)
  const isPublished = (run: string) => ['published', 'just-published'].includes(runOutcomeOf(run))
  const isSnapshot = (run: string) =>
    isPublished(run) && (runs.get(run)?.includes(manifestKey(entity, run)) ?? false)
  const older = [...runs.keys()].filter((run) => run < published && isSnapshot(run)).toSorted()
  const kept = keptRuns([...older, published], keepSnapshots)
  // A comparison that began before a snapshot was replaced may still be about to make it the tip.
  const mayBecomeTip = (run: string, index: number) =>
    run > (tip ?? '') && runOutcomeOf(older[index + 1] ?? '') === 'just-published'
  const expired = new Set(
    older.filter((run, index) => run !== tip && !kept.has(run) && !mayBecomeTip(run, index)),
  )
  const refused = [...runs.keys()].filter(
    (run) => run > published && (run === runId || runOutcomeOf(run) === 'refused'),
  )
  const keptRefused = new Set(
    refused
      .filter((run) => timeOfRunId(run) >= now - maxRefusedMs)
      .toSorted()
      .slice(-maxRefused),
  )
  const ownKey = outcome === 'published' ? manifestKey : refusedKey
  const belongs = belongsTo(manifest)
  const isOwn = (key: string) => key === ownKey(entity, runId) || belongs(key)

  return [...runs].flatMap(([run, runKeys]) => {
    if (run === runId) return runKeys.filter((key) => !isOwn(key))
    if (run > runId || runOutcomeOf(run) === 'unknown' || keptRefused.has(run)) return []
    if (expired.has(run) || !isSnapshot(run)) return runKeys
    return ofAbandonedAttempts(runKeys)
  })
}

/** The runs that have objects. */
export function runsOf(entity: string, keys: readonly string[]): string[] {
  return [...groupByRun(entity, keys).keys()]
}

/** Only the last attempt of each range is published. Pages of earlier ones remain if a clean-up did not finish. */
function ofAbandonedAttempts(keys: readonly string[]): string[] {
  const last = new Map<string, number>()
  for (const page of keys.map(attemptOfPageKey))
    if (page) last.set(page.range, Math.max(page.attempt, last.get(page.range) ?? 0))
  return keys.filter((key) => {
    const page = attemptOfPageKey(key)
    return page !== undefined && page.attempt < (last.get(page.range) ?? 0)
  })
}

function groupByRun(entity: string, keys: readonly string[]): Map<string, string[]> {
  const prefix = snapshotsPrefix(entity)
  const runs = new Map<string, string[]>()
  for (const key of keys) {
    const [run, name] = key.slice(prefix.length).split('/')
    if (!run || !name) continue
    const known = runs.get(run)
    if (known) known.push(key)
    else runs.set(run, [key])
  }
  return runs
}
