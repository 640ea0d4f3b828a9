import { maxQueryMs } from '../../../stored/tables/query-time.ts'
import type { DroppedRun } from '../../../stored/tables/table.ts'
import { runOf, type TableMetadata } from '../iceberg/metadata.ts'

/** The runs that were dropped within the last day, those of this commit included. */
export function dropsAfter(
  { before, after }: { readonly before: TableMetadata | undefined; readonly after: TableMetadata },
  dropped: readonly DroppedRun[],
  now: number,
): readonly DroppedRun[] {
  const kept = new Set(after.snapshots.map(runOf))
  const gone = new Set((before?.snapshots ?? []).map(runOf).filter((run) => !kept.has(run)))
  const at = new Date(now).toISOString()
  return [...dropped.filter((one) => isRecent(one, now)), ...[...gone].map((runId) => ({ runId, at }))]
}

/** Whether a query that began before the drop may still be running. */
const isRecent = ({ at }: DroppedRun, now: number): boolean => Date.parse(at) >= now - maxQueryMs
