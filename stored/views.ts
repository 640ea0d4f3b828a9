import { dayMs } from '../functions/runtime/durations.ts'
import type { EntitySettings } from '../functions/runtime/settings.ts'
import type { IncrementStatus, LastIncrement } from './entity-items.ts'
import type { Progress, ScrollPosition } from './pages/page.ts'
import type { Pause } from './pause.ts'
import { progressOver } from './run/attempts.ts'
import { givesUpAt } from './run/gives-up.ts'
import { byValue } from './run/ranges-of-split.ts'
import { reasonWithStep } from './run/reason.ts'
import type { Run, RunWait } from './run/run.ts'
import { acceptanceOf, hasEnded, highestAttempt, isSuspect, rangesOfRun, splitOfRun } from './run/run.ts'
import type { Latest } from './snapshots/manifest.ts'

/** A run and its progress. While it is running, its counts come from the committed pages. */
interface Observed {
  readonly run: Run
  readonly documents: number
  readonly total: number | null
  readonly pages: number
  /** When the last committed page was received, in epoch milliseconds. */
  readonly respondedAt: number | undefined
  readonly rangeProgress: Progress['rangeProgress']
}

/** The members of a run as callers see it; an unknown value is null. A new member is one row here and in the OpenAPI schema. */
const runMembers = {
  runId: ({ run }: Observed) => run.runId,
  entity: ({ run }: Observed) => run.entity,
  kind: ({ run }: Observed) => (run.kind === 'increment' ? run.kind : ('full' as const)),
  status: ({ run }: Observed) => run.status,
  startedAt: ({ run }: Observed) => run.startedAt,
  updatedAt: ({ run, respondedAt }: Observed) => latestOf(run.updatedAt, respondedAt),
  endedAt: ({ run }: Observed) => ('endedAt' in run ? run.endedAt : null),
  documents: ({ documents }: Observed) => documents,
  total: ({ total }: Observed) => total,
  percent: ({ documents, total }: Observed) => percentOf(documents, total),
  pages: ({ pages }: Observed) => pages,
  attempt: ({ run }: Observed) => highestAttempt(run),
  suspect: ({ run }: Observed) => isSuspect(run),
  reason: ({ run }: Observed) => ('reason' in run ? reasonWithStep(run) : null),
  wait: ({ run }: Observed) => waitOf(run),
  faults: ({ run }: Observed) => run.faults,
  documentsPerSecond: (observed: Observed) => roundToTenth(speedOf(observed)),
  secondsLeft: (observed: Observed) => secondsLeft(observed),
  uniqueIds: ({ run }: Observed) => ('uniqueIds' in run ? run.uniqueIds : null),
  proof: ({ run }: Observed) => ('proof' in run ? run.proof : null),
  manifest: ({ run }: Observed) => ('manifest' in run ? run.manifest : null),
  by: ({ run }: Observed) => acceptanceOf(run)?.by ?? null,
  refusedAt: ({ run }: Observed) => (run.status === 'published' && acceptanceOf(run)?.refusedAt) || null,
  repeatOf: ({ run }: Observed) => (run.kind === 'full' ? (run.repeat?.of ?? null) : null),
  republishedFrom: ({ run }: Observed) => (run.kind === 'republication' ? run.republishedFrom : null),
  increment: ({ run }: Observed) => ('increment' in run ? run.increment : null),
  partitions: (observed: Observed) => partitionsOf(observed),
  partitionsReason: ({ run }: Observed) => reasonWithoutPartitions(run),
} as const

export type RunView = {
  readonly [Name in keyof typeof runMembers]: ReturnType<(typeof runMembers)[Name]>
}

/** `positions`: of each range, or one without partitions; undefined before the first page. A run that has ended needs none. */
export function runView(run: Run, positions: readonly (ScrollPosition | undefined)[]): RunView {
  const { documents, pages, total = null, rangeProgress } = hasEnded(run) ? run : progressOver(run, positions)
  const respondedAt = positions
    .flatMap((position) => position?.respondedAt || [])
    .reduce<number | undefined>((last, time) => Math.max(last ?? 0, time), undefined)
  const observed: Observed = { run, documents, total, pages, respondedAt, rangeProgress }
  const members = Object.entries(runMembers).map(([name, read]) => [name, read(observed)])
  return Object.fromEntries(members) as RunView
}

/** Why a run waits now. */
export interface CurrentWait extends Pick<RunWait, 'for'> {
  readonly since: string
  /** The next try, at the latest. */
  readonly until: string
  /** Null if that is not known. */
  readonly givesUpAt: string | null
}

/** Null if the run does not wait. */
function waitOf(run: Run): CurrentWait | null {
  const wait = run.status === 'waiting' ? run.waits?.at(-1) : undefined
  return wait ? { for: wait.for, since: wait.from, until: wait.to, givesUpAt: givesUpAt(run) } : null
}

function reasonWithoutPartitions(run: Run): string | null {
  const split = splitOfRun(run)
  return split?.kind === 'fallback' ? split.reason : null
}

/** The ranges of a run; null if it scrolls without them. */
function partitionsOf({ run, rangeProgress }: Observed) {
  const split = splitOfRun(run)
  if (split?.kind !== 'ranges') return null
  const ranges = split.ranges.map(({ filter, attempt, suspect }, index) => {
    const { documents = 0, total = null } = rangeProgress[index] ?? {}
    return { where: filter?.where ?? '', documents, total, attempt, suspect }
  })
  return byValue(ranges)
}

function latestOf(time: string, respondedAt: number | undefined): string {
  const responded = respondedAt === undefined ? '' : new Date(respondedAt).toISOString()
  return responded > time ? responded : time
}

function percentOf(documents: number, total: number | null): number | null {
  if (total === null) return null
  return total === 0 ? 100 : Math.min(100, Math.floor((documents * 100) / total))
}

/** Documents per second of the current attempt, waits included; null before the first page. */
function speedOf({ run, documents, respondedAt = 0 }: Observed): number | null {
  const startedAt = Math.min(...rangesOfRun(run).map((range) => Date.parse(range.attemptStartedAt)))
  const seconds = (respondedAt - startedAt) / 1000
  return documents === 0 || seconds <= 0 ? null : documents / seconds
}

const roundToTenth = (value: number | null) => (value === null ? null : Math.round(value * 10) / 10)

function secondsLeft(observed: Observed): number | null {
  const { documents, total } = observed
  const speed = speedOf(observed)
  return total === null || speed === null ? null : Math.max(0, Math.ceil((total - documents) / speed))
}

/** An entity as callers see it: its schedule, its running run, its published snapshot and its last runs. */
export interface EntityView extends Pick<EntitySettings, 'schedule' | 'timezone' | 'enabled'>, StateView {
  readonly entity: string
}

/** What is known of its state. */
interface StateView {
  readonly pause: Pause | null
  readonly running: RunView | null
  readonly snapshot: Latest | null
  readonly runs: readonly RunView[]
  readonly increments: IncrementsView | null
}

export const entityView = (
  { name: entity, schedule, timezone, enabled }: EntitySettings,
  state: StateView,
): EntityView => ({ entity, schedule, timezone, enabled, ...state })

export type IncrementsView = NonNullable<ReturnType<typeof incrementsView>>

/** The increments of an entity as callers see them: the last window, its age, and what they delivered. */
export function incrementsView(
  { increments }: Pick<EntitySettings, 'increments'>,
  status: IncrementStatus | undefined,
  now: number,
) {
  if (!increments) return null
  const { schedule, lookbackMinutes } = increments
  const { window, last, records = {} } = status ?? {}
  const since = new Date(now - dayMs).toISOString().slice(0, 'yyyy-mm-ddThh'.length)
  const counts = Object.entries(records).filter(([hour]) => hour >= since)
  return {
    schedule,
    lookbackMinutes,
    window: window ?? null,
    /** From the end of the window, in seconds. */
    ageSeconds: window ? Math.max(0, Math.round((now - Date.parse(window.to)) / 1000)) : null,
    recordsLastDay: counts.reduce((sum, [, count]) => sum + count, 0),
    last: last ? lastView(last) : null,
  }
}

const lastView = ({ runId, status, reason, endedAt }: LastIncrement) => ({ runId, status, reason, endedAt })
