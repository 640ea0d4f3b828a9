import { dayMs } from '../../functions/runtime/durations.ts'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { timeOfRunId } from '../run/run-id.ts'

/** The published snapshot and the previous one are always kept. */
const minKept = 2

/** The runs whose snapshots `keepSnapshots` keeps. `runs` published a snapshot each and are in their order. */
export function keptRuns(
  runs: readonly string[],
  keepSnapshots: EntitySettings['keepSnapshots'],
): ReadonlySet<string> {
  const { last, daily } =
    typeof keepSnapshots === 'number' ? { last: keepSnapshots, daily: 0 } : keepSnapshots
  return new Set([...runs.slice(-Math.max(minKept, last)), ...lastOfEachDay(runs, daily)])
}

const dayOf = (runId: string) => Math.floor(timeOfRunId(runId) / dayMs)

/** The last run of each day (UTC), for this many days up to that of the newest run. */
function lastOfEachDay(runs: readonly string[], days: number): readonly string[] {
  const firstDay = dayOf(runs.at(-1) ?? '') - days + 1
  return runs.filter((run, index) => dayOf(run) >= firstDay && dayOf(run) !== dayOf(runs[index + 1] ?? ''))
}
