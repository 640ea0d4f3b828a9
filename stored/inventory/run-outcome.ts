import { hasEnded, type Run } from '../run/run.ts'

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
