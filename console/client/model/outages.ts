import type { TimelineLane, TimelineRun } from '../../contract/timeline.ts'
import { formatCount, formatDuration, formatShortTime } from './format.ts'

/** Runs of an entity that failed one after another. Epoch milliseconds. */
export interface Outage {
  readonly from: number
  readonly to: number
  readonly runs: number
}

/** From the beginning of the first of the failed runs without a published one between them, to the end. */
export function outagesOf({ runs }: Pick<TimelineLane, 'runs'>): Outage[] {
  const outages: Outage[] = []
  let failed: TimelineRun[] = []
  const end = () => {
    const [first, last] = [failed[0], failed.at(-1)]
    if (first && last) {
      outages.push({
        from: Date.parse(first.startedAt),
        to: Date.parse(last.endedAt ?? last.startedAt),
        runs: failed.length,
      })
    }
    failed = []
  }
  for (const run of runs) {
    if (run.status === 'failed') failed.push(run)
    else if (run.status === 'published' || run.status === 'refused') end()
  }
  end()
  return outages
}

const maxListed = 3
/** Entities whose runs fail at different minutes notice the same outage. */
const maxGapMs = 10 * 60_000

/** When at least two runs failed in a period, newest first: of one entity one after another, or of several at once. */
export function outageTexts(lanes: readonly TimelineLane[], from: number): string[] {
  const all = lanes
    .flatMap((lane) => outagesOf(lane).map((outage) => ({ ...outage, entities: [lane.entity] })))
    .filter(({ to }) => to >= from)
    .toSorted((one, other) => one.from - other.from)
  const merged: (typeof all)[number][] = []
  for (const outage of all) {
    const last = merged.at(-1)
    if (!last || outage.from > last.to + maxGapMs) merged.push(outage)
    else
      merged[merged.length - 1] = {
        ...last,
        to: Math.max(last.to, outage.to),
        runs: last.runs + outage.runs,
        entities: [...last.entities, ...outage.entities],
      }
  }
  return merged
    .filter(({ runs }) => runs > 1)
    .toReversed()
    .slice(0, maxListed)
    .map(outageText)
}

function outageText({ from, to, runs, entities }: Outage & { entities: readonly string[] }) {
  const [start, end] = [from, to].map((time) => formatShortTime(new Date(time).toISOString()))
  const { size } = new Set(entities)
  const who = size === 1 ? entities[0] : `${formatCount(size)} entities`
  return `${start} to ${end} (${formatDuration(to - from)}): ${formatCount(runs)} runs of ${who} failed.`
}
