import { dayMs } from '../../functions/runtime/durations.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { hasEnded, type Run } from '../run/run.ts'
import { timeOfRunId } from '../run/run-id.ts'
import { keptRuns } from '../snapshots/kept-runs.ts'
import {
  attemptOfPageKey,
  belongsTo,
  type Manifest,
  manifestKey,
  refusedKey,
  snapshotsPrefix,
} from '../snapshots/manifest.ts'
import { type Reason, type ReasonKind, withoutReason } from './reason.ts'

/** What decides which objects of an entity's snapshots stay. */
export interface SnapshotFacts {
  readonly entity: string
  /** All keys of the entity's snapshots. */
  readonly keys: readonly string[]
  /** The run whose snapshot is published; undefined if there is none. */
  readonly published: string | undefined
  /** The run whose snapshot the next comparison starts from. It is always kept. */
  readonly tip: string | undefined
  readonly keepSnapshots: EntitySettings['keepSnapshots']
  readonly runOutcomeOf: (runId: string) => RunOutcome
  /** The manifest of a run's snapshot, or the one that it would have had; undefined if it was not read. */
  readonly manifestOf: (runId: string) => Manifest | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

/** Refused snapshots that can be reviewed, and for how long. */
const maxRefused = 7
const maxRefusedMs = 30 * dayMs

/** Why each object of a run stays, by its key. */
export function snapshotReasons(facts: SnapshotFacts): ReadonlyMap<string, readonly Reason[]> {
  const reasonsOf = reasonsOfRuns(facts)
  return new Map(
    [...groupByRun(facts.entity, facts.keys)].flatMap(([run, keys]) => {
      const reasons = reasonsOf(run)
      const isWritten = reasons.some(({ kind }) => kind === 'in-progress')
      const isNeeded = isWritten ? () => true : neededKeys(facts, run, keys)
      return keys.map((key) => [key, isNeeded(key) ? reasons : []] as const)
    }),
  )
}

/** What a run leaves at its end, when older objects are cleaned up. */
export interface EndedSnapshot {
  readonly outcome: 'published' | 'refused'
  /** The one that it would have had if it was refused. */
  readonly manifest: Manifest
  /** The run whose snapshot is published; undefined if there is none. */
  readonly published: string | undefined
}

export type RetentionRules = Pick<SnapshotFacts, 'keepSnapshots' | 'tip' | 'runOutcomeOf' | 'now'>

/**
 * What to delete when a run was published or refused: the objects that nothing needs. `keys` are all keys of the entity.
 * Newer runs may be in progress.
 */
export function planCleanUp(
  { outcome, manifest, published }: EndedSnapshot,
  keys: readonly string[],
  { runOutcomeOf, ...rules }: RetentionRules,
): string[] {
  const { entity, runId } = manifest
  const outcomeOf = (run: string) => (run === runId ? outcome : run > runId ? 'unknown' : runOutcomeOf(run))
  const manifestOf = (run: string) => (run === runId ? manifest : undefined)
  const facts = { ...rules, entity, keys, published, runOutcomeOf: outcomeOf, manifestOf }
  return withoutReason(snapshotReasons(facts))
}

function reasonsOfRuns({
  entity,
  keys,
  published = '',
  tip,
  keepSnapshots,
  runOutcomeOf,
  now,
}: SnapshotFacts): (run: string) => readonly Reason[] {
  const runs = runsOf(entity, keys)
  const manifests = new Set(keys)
  const isSnapshot = (run: string) =>
    ['published', 'just-published'].includes(runOutcomeOf(run)) && manifests.has(manifestKey(entity, run))
  const older = runs.filter((run) => run < published && isSnapshot(run)).toSorted()
  const kept = keptRuns([...older, published], keepSnapshots)
  const refused = runs
    .filter((run) => run > published && runOutcomeOf(run) === 'refused')
    .filter((run) => timeOfRunId(run) >= now - maxRefusedMs)
    .toSorted()
    .slice(-maxRefused)
  // A comparison that began before a snapshot was replaced may still be about to make it the tip.
  const mayBecomeTip = (run: string) =>
    run > (tip ?? '') && runOutcomeOf(older[older.indexOf(run) + 1] ?? '') === 'just-published'
  const kindsOf = (run: string): readonly (ReasonKind | false)[] => {
    const isOlder = older.includes(run)
    return [
      run === published && 'published',
      (runOutcomeOf(run) === 'unknown' || (run > published && isSnapshot(run))) && 'in-progress',
      isOlder && kept.has(run) && (run === older.at(-1) ? 'previous' : 'keep-snapshots'),
      run === tip && (isOlder || run === published) && 'chain-snapshot',
      isOlder && mayBecomeTip(run) && 'comparison',
    ]
  }
  return (run) =>
    refused.includes(run)
      ? [{ kind: 'refused', until: timeOfRunId(run) + maxRefusedMs }]
      : kindsOf(run).flatMap((kind) => (kind ? { kind, until: undefined } : []))
}

/** Without the manifest, what was not written by an attempt that was given up. */
function neededKeys(
  { entity, manifestOf, runOutcomeOf }: SnapshotFacts,
  run: string,
  keys: readonly string[],
): (key: string) => boolean {
  const manifest = manifestOf(run)
  if (manifest) {
    const ownKey = (runOutcomeOf(run) === 'refused' ? refusedKey : manifestKey)(entity, run)
    const belongs = belongsTo(manifest)
    return (key) => key === ownKey || belongs(key)
  }
  const last = new Map<string, number>()
  for (const page of keys.map(attemptOfPageKey))
    if (page) last.set(page.range, Math.max(page.attempt, last.get(page.range) ?? 0))
  return (key) => {
    const page = attemptOfPageKey(key)
    return page === undefined || page.attempt >= (last.get(page.range) ?? 0)
  }
}

/** The runs that have objects. */
export const runsOf = (entity: string, keys: readonly string[]): string[] => [
  ...groupByRun(entity, keys).keys(),
]

const groupByRun = (entity: string, keys: readonly string[]): Map<string, string[]> => {
  const names = (key: string) => key.slice(snapshotsPrefix(entity).length).split('/')
  const ofRuns = keys.filter((key) => names(key)[0] && names(key)[1])
  return Map.groupBy(ofRuns, (key) => names(key)[0] ?? '')
}

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
