import { attemptOfPageKey, type Manifest, manifestKey, snapshotsPrefix } from '../../state/manifest.ts'
import { hasEnded, type Run } from '../../state/run.ts'

/** What has become of an older run, as far as its objects are concerned. */
export type RunOutcome =
  /** Its manifest, if it has one, has been the published one. */
  | 'published'
  /** It ended without publishing; nobody will ever read its objects. */
  | 'unpublished'
  /** Somebody may still be writing. */
  | 'unknown'

/** A worker lives 15 minutes at most; until then one that lost its run may still write. */
const maxWorkerLifetimeMs = 16 * 60_000

/** A run whose item has expired ended a month ago: whether it published, its manifest tells. */
export function runOutcomeOf(run: Run | undefined, now: number): RunOutcome {
  if (!run || run.status === 'published') return 'published'
  if (!hasEnded(run)) return 'unknown'
  const mayStillWrite = run.abandoned && now - Date.parse(run.endedAt ?? run.updatedAt) < maxWorkerLifetimeMs
  return mayStillWrite ? 'unknown' : 'unpublished'
}

/** What to delete, the manifests first, so that none is ever left without its pages. */
export interface CleanUp {
  readonly manifests: readonly string[]
  readonly objects: readonly string[]
}

/** The published snapshot and the one before it stay, whatever the setting. */
const minKept = 2

/**
 * What may go after a publication: snapshots beyond `keepSnapshots`, pages that the new manifest left out, pages of
 * attempts that were given up, and what older runs left that published nothing. `keys` is all below the entity.
 */
export function planCleanUp(
  published: Manifest,
  keys: readonly string[],
  { keepSnapshots, runOutcomeOf }: { keepSnapshots: number; runOutcomeOf: (runId: string) => RunOutcome },
): CleanUp {
  const { entity, runId } = published
  const runs = groupByRun(entity, keys)
  const isSnapshot = (run: string) =>
    runOutcomeOf(run) === 'published' && (runs.get(run)?.includes(manifestKey(entity, run)) ?? false)
  const older = [...runs.keys()].filter((run) => run < runId && isSnapshot(run)).toSorted()
  const expired = new Set(older.slice(0, Math.max(0, older.length + 1 - Math.max(minKept, keepSnapshots))))
  const own = new Set(published.pages.map((page) => page.key).concat(manifestKey(entity, runId)))

  const goes = [...runs].flatMap(([run, runKeys]) => {
    if (run === runId) return runKeys.filter((key) => !own.has(key))
    if (run > runId || runOutcomeOf(run) === 'unknown') return []
    if (expired.has(run) || !isSnapshot(run)) return runKeys
    return ofAbandonedAttempts(runKeys)
  })
  const isManifest = (key: string) => key.endsWith('/manifest.json')
  return { manifests: goes.filter(isManifest), objects: goes.filter((key) => !isManifest(key)) }
}

/** The runs that have objects. */
export function runsOf(entity: string, keys: readonly string[]): string[] {
  return [...groupByRun(entity, keys).keys()]
}

/** Only a run's last attempt is published. What is left of earlier ones is from a clean-up that did not finish. */
function ofAbandonedAttempts(keys: readonly string[]): string[] {
  const last = Math.max(...keys.map((key) => attemptOfPageKey(key) ?? 0))
  return keys.filter((key) => (attemptOfPageKey(key) ?? last) < last)
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
