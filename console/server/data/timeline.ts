import { setTimeout as sleep } from 'node:timers/promises'
import { hourMs } from '../../../functions/runtime/durations.ts'
import { mapPooled } from '../../../functions/runtime/map-pooled.ts'
import { type Pause, pauseInForce } from '../../../functions/state/pause.ts'
import { acceptanceOf, hasEnded, type Run } from '../../../functions/state/run/run.ts'
import type { StateStore } from '../../../functions/state/sync-state.ts'
import type { TimelineResponse, TimelineRun } from '../../contract/timeline.ts'
import type { createNextRuns } from './next-runs.ts'

export interface TimelineOptions {
  readonly entities: readonly string[]
  readonly state: Pick<StateStore, 'readEntities' | 'readRuns' | 'listRuns'>
  readonly readNext: ReturnType<typeof createNextRuns>['read']
  /** Epoch milliseconds. */
  readonly now: () => number
}

interface Lane {
  readonly entity: string
  readonly runs: Map<string, TimelineRun>
  /** All runs that began after this time are known. */
  knownSince: number
  /** When the lane last changed. */
  revision: number
  pause: Pause | undefined
}

interface RunKey {
  readonly entity: string
  readonly runId: string
}

const maxHours = 7 * 24
const maxConcurrentReads = 24
/** A week can have 10,000 runs. */
const queryLimits = { min: 10, max: 1000 } as const
const maxStartsMs = 500
/** For several windows that show the timeline. */
const maxAgeMs = 900

/**
 * The runs of all entities. The item of an entity names its last runs, which are read by key, a hundred in a request, until
 * they have ended. An entity is queried once, and only if these do not reach back to the beginning of the period.
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
  let refreshed: { readonly done: Promise<void>; readonly at: number } | undefined

  function add(lane: Lane, run: Run) {
    // A start that was skipped scrolled nothing.
    if (run.status === 'skipped') return
    const bar = barOf(run)
    if (JSON.stringify(lane.runs.get(run.runId)) === JSON.stringify(bar)) return
    lane.runs.set(run.runId, bar)
    lane.revision = revision
  }

  /** Queries an entity's runs from the newest one to the first that began before this time, or is known. */
  async function query(lane: Lane, { since, isKnown }: { since: number; isKnown: (run: Run) => boolean }) {
    let before: string | undefined
    let limit = expectedRuns(lane, since, now())
    while (true) {
      const runs = await state.listRuns(lane.entity, limit, before)
      for (const run of runs) add(lane, run)
      const last = runs.at(-1)
      if (!last || runs.length < limit || Date.parse(last.startedAt) < since || isKnown(last)) return
      before = last.runId
      limit = queryLimits.max
    }
  }

  async function load(since: number) {
    const unknown = lanes.filter(({ knownSince }) => knownSince > since)
    await mapPooled(unknown, maxConcurrentReads, async (lane) => {
      await query(lane, { since, isKnown: () => false })
      lane.knownSince = since
    })
  }

  async function refresh(since: number) {
    const states = await state.readEntities(entities)
    const keys: RunKey[] = []
    const gaps: Lane[] = []
    for (const [index, lane] of lanes.entries()) {
      const { recentRuns: recent = [], pause } = states[index] ?? {}
      lane.pause = pauseInForce(pause ? { pause } : {}, now())
      const unknown = recent.filter((runId) => !lane.runs.has(runId))
      // Runs between the known ones and these may be missing.
      const hasGap = unknown.length > 0 && unknown.length === recent.length && lane.runs.size > 0
      if (hasGap && Number.isFinite(lane.knownSince)) gaps.push(lane)
      keys.push(...[...unknown, ...unended(lane)].map((runId) => ({ entity: lane.entity, runId })))
    }
    const byEntity = new Map(lanes.map((lane) => [lane.entity, lane]))
    for (const run of keys.length > 0 ? await state.readRuns(keys) : []) {
      const lane = byEntity.get(run.entity)
      if (lane) add(lane, run)
    }
    for (const [index, lane] of lanes.entries()) {
      const named = (states[index]?.recentRuns ?? []).flatMap((runId) => lane.runs.get(runId) ?? [])
      if (!Number.isFinite(lane.knownSince) && startOf(named) < since) lane.knownSince = since
    }
    await mapPooled(gaps, maxConcurrentReads, (lane) => {
      const known = new Set(lane.runs.keys())
      return query(lane, { since: lane.knownSince, isKnown: ({ runId }) => known.has(runId) })
    })
    for (const lane of lanes) forgetOld(lane, now() - maxHours * hourMs)
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

  let starts: Record<string, string> = {}

  /** The schedules of an account may take seconds to read, for which runs do not wait. */
  async function knownStarts(): Promise<Record<string, string>> {
    const read = nextStarts().then((found) => {
      starts = found
    })
    // One that fails later is read again with the next request.
    read.catch(() => undefined)
    await Promise.race([read, sleep(maxStartsMs)])
    return starts
  }

  return {
    /** The runs of the last hours that have changed after a revision; 0 is everything. */
    async read(hours: number, after: number): Promise<TimelineResponse> {
      const since = now() - Math.min(hours, maxHours) * hourMs
      if (!refreshed || Date.now() - refreshed.at > maxAgeMs) {
        revision++
        refreshed = { done: refresh(since).then(() => load(since)), at: Date.now() }
        refreshed.done.catch(() => {
          refreshed = undefined
        })
      }
      await refreshed.done
      if (lanes.some(({ knownSince }) => knownSince > since + maxAgeMs)) await load(since)
      return {
        entities,
        lanes: lanes
          .filter((lane) => lane.revision > after)
          .map(({ entity, runs }) => ({ entity, runs: runsSince([...runs.values()], since) })),
        next: await knownStarts(),
        revision,
        now: new Date(now()).toISOString(),
      }
    },
  }
}

function barOf(run: Run): TimelineRun {
  const { runId, status, startedAt } = run
  if (!hasEnded(run)) return { runId, status, startedAt, endedAt: null, documents: null }
  const endedAt = acceptanceOf(run)?.refusedAt ?? run.endedAt
  return { runId, status, startedAt, endedAt, documents: run.documents }
}

/** When the first of these runs began; infinite without one. */
const startOf = (runs: readonly TimelineRun[]) =>
  runs.reduce((first, { startedAt }) => Math.min(first, Date.parse(startedAt)), Number.POSITIVE_INFINITY)

/** How many runs a period has at the pace of the known ones, and some more. */
function expectedRuns({ runs }: Lane, since: number, now: number): number {
  const known = [...runs.values()]
  const paceMs = (now - startOf(known)) / known.length
  const expected = Math.ceil((now - since) / paceMs) + 2
  return Math.max(queryLimits.min, Math.min(queryLimits.max, expected))
}

const unended = ({ runs }: Lane) =>
  [...runs.values()].filter(({ endedAt }) => endedAt === null).map(({ runId }) => runId)

/** Oldest first. A run belongs to the period in which it ended. */
function runsSince(runs: readonly TimelineRun[], since: number): TimelineRun[] {
  return runs
    .filter(({ endedAt }) => endedAt === null || Date.parse(endedAt) >= since)
    .toSorted((one, other) => one.runId.localeCompare(other.runId))
}

function forgetOld({ runs }: Lane, before: number): void {
  for (const [runId, { endedAt }] of runs) {
    if (endedAt !== null && Date.parse(endedAt) < before) runs.delete(runId)
  }
}
