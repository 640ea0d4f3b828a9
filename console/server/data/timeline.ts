import { hourMs } from '../../../functions/runtime/durations.ts'
import { mapPooled } from '../../../functions/runtime/map-pooled.ts'
import { type Pause, pauseInForce } from '../../../stored/pause.ts'
import { acceptanceOf, hasEnded, type Run } from '../../../stored/run/run.ts'
import type { StateStore } from '../../../stored/sync-state.ts'
import type { TimelineResponse, TimelineRun } from '../../contract/timeline.ts'
import type { createNextRuns } from './next-runs.ts'

export interface TimelineOptions {
  readonly entities: readonly string[]
  readonly state: Pick<StateStore, 'readEntities' | 'listRuns'>
  readonly readNext: ReturnType<typeof createNextRuns>['read']
  /** Epoch milliseconds. */
  readonly now: () => number
}

interface Lane {
  readonly entity: string
  /** Also those that were skipped, so that they are not read again. */
  readonly runs: Map<string, TimelineRun>
  /** All runs that began after this time are known. */
  knownSince: number
  /** When the lane last changed. */
  revision: number
  pause: Pause | undefined
}

const maxHours = 7 * 24
const maxConcurrentReads = 24
/** Of the first query and of further ones: a week can have 10,000 runs. */
const queryLimits = { first: 10, growth: 4, max: 1000 } as const

/**
 * The runs of all entities. The item of an entity names its last runs: the entity is queried only if one of these is new, or
 * if a known run had not ended, and only back to the runs that cannot change.
 */
export function createTimeline({ entities, state, readNext, now }: TimelineOptions) {
  const lanes = entities.map(
    (entity): Lane => ({
      entity,
      runs: new Map(),
      knownSince: Number.POSITIVE_INFINITY,
      revision: 0,
      pause: undefined,
    }),
  )
  let revision = 0

  function add(lane: Lane, run: Run) {
    const bar = barOf(run)
    if (JSON.stringify(lane.runs.get(run.runId)) === JSON.stringify(bar)) return
    lane.runs.set(run.runId, bar)
    lane.revision = revision
  }

  /** Queries an entity's runs from the newest one to one of this id, or one that began before this time. */
  async function query(lane: Lane, { since, runId }: { since: number; runId: string }) {
    let before: string | undefined
    let limit: number = queryLimits.first
    while (true) {
      const runs = await state.listRuns(lane.entity, limit, before)
      for (const run of runs) add(lane, run)
      const last = runs.at(-1)
      if (!last || runs.length < limit || Date.parse(last.startedAt) < since || last.runId <= runId) return
      before = last.runId
      limit = Math.min(queryLimits.max, limit * queryLimits.growth)
    }
  }

  async function refresh(since: number) {
    const states = await state.readEntities(entities)
    const indexed = lanes.map((lane, index) => ({ lane, state: states[index] ?? {} }))
    await mapPooled(indexed, maxConcurrentReads, async ({ lane, state: { recentRuns = [], pause } }) => {
      lane.pause = pauseInForce(pause ? { pause } : {}, now())
      const known = [...lane.runs.values()].toSorted(byRunId)
      const oldestOpen = known.find(({ endedAt }) => endedAt === null)
      const isNew = recentRuns.some((runId) => !lane.runs.has(runId))
      if (lane.knownSince > since) await query(lane, { since, runId: '' })
      else if (oldestOpen || isNew)
        await query(lane, { since: lane.knownSince, runId: (oldestOpen ?? known.at(-1))?.runId ?? '' })
      lane.knownSince = Math.min(lane.knownSince, since)
    })
  }

  /** When the schedules start the next runs, of the entities that have one. */
  async function nextStarts(): Promise<Record<string, string>> {
    const next = await readNext()
    const starts = lanes.flatMap(({ entity, pause }) => {
      const found = next(entity).nextWith(pause ?? null)
      return found.kind === 'run' ? [[entity, found.at] as const] : []
    })
    return Object.fromEntries(starts)
  }

  /** What has changed after a revision. */
  async function readLanes(
    since: number,
    after: number,
  ): Promise<Pick<TimelineResponse, 'lanes' | 'revision'>> {
    revision++
    await refresh(since)
    const changed = lanes.filter((lane) => lane.revision > after)
    return {
      lanes: changed.map(({ entity, runs }) => ({ entity, runs: runsSince([...runs.values()], since) })),
      revision,
    }
  }

  let last: Promise<unknown> = Promise.resolve()

  return {
    /** The runs of the last hours that have changed after a revision; 0 is everything. */
    async read(hours: number, after: number): Promise<TimelineResponse> {
      const since = now() - Math.min(hours, maxHours) * hourMs
      // One after another, since they change the same lanes.
      const read = last.then(() => readLanes(since, after))
      last = read.catch(() => undefined)
      return { entities, ...(await read), next: await nextStarts(), now: new Date(now()).toISOString() }
    },
  }
}

function barOf(run: Run): TimelineRun {
  const { runId, status, startedAt } = run
  if (!hasEnded(run)) return { runId, status, startedAt, endedAt: null, documents: null }
  const endedAt = acceptanceOf(run)?.refusedAt ?? run.endedAt
  return { runId, status, startedAt, endedAt, documents: run.documents }
}

/** Oldest first. A run belongs to the period in which it ended. */
function runsSince(runs: readonly TimelineRun[], since: number): TimelineRun[] {
  return runs
    .filter(
      ({ status, endedAt }) => status !== 'skipped' && (endedAt === null || Date.parse(endedAt) >= since),
    )
    .toSorted(byRunId)
}

const byRunId = (one: TimelineRun, other: TimelineRun) => one.runId.localeCompare(other.runId)
