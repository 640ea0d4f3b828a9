import type { SnapshotRun } from '../../../stored/run/run.ts'
import { timeOfRunId } from '../../../stored/run/run-id.ts'
import { minuteMs } from '../../runtime/durations.ts'
import { nextRun } from '../../runtime/next-run.ts'
import type { EntitySettings } from '../../runtime/settings.ts'

/** How long after the end of the run before each repeat begins. */
const waitsMs = [5 * minuteMs, 15 * minuteMs, 60 * minuteMs]

/** A run, then the one whose failure it follows, and so on until the one that the execution began with. */
export type Chain = readonly [last: SnapshotRun, ...before: SnapshotRun[]]

/**
 * When a run is repeated, in epoch milliseconds; undefined if it is not. Only a platform that was away may be back
 * later, and the next start of the schedule repeats the run as well.
 */
export function repeatDueAt(
  chain: Chain,
  { enabled, schedule, timezone }: Pick<EntitySettings, 'enabled' | 'schedule' | 'timezone'>,
): number | undefined {
  const [last] = chain
  const waitMs = waitsMs[chain.length - 1]
  const isAway = last.kind === 'full' && last.status === 'failed' && last.cause === 'platform-away'
  if (!isAway || !enabled || waitMs === undefined) return undefined
  const endedAt = Date.parse(last.endedAt)
  const dueAt = endedAt + waitMs
  // A rate is counted from its start before, of which the execution is the only trace.
  const startsAt = timeOfRunId((chain.at(-1) ?? last).runId)
  const nextStart = nextRun({ expression: schedule, timezone, startsAt }, endedAt)
  return nextStart !== undefined && nextStart < dueAt ? undefined : dueAt
}
