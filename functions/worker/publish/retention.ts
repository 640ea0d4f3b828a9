import { type SnapshotFacts, snapshotReasons } from '../../../stored/inventory/snapshot-reasons.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'

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
  return [...snapshotReasons(facts)].flatMap(([key, reasons]) => (reasons.length === 0 ? [key] : []))
}
