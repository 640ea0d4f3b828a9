import { isDeepStrictEqual } from 'node:util'
import type { EntitySettings } from '../../runtime/settings.ts'
import type { RememberedPageSize } from '../../state/lease/entity-items.ts'
import type { Position } from '../../state/pages/page.ts'
import { suspectRanges, unplanned } from '../../state/run/partitions.ts'
import { type ActiveRun, type Crashes, planOf } from '../../state/run/run.ts'
import { running } from '../../state/run/run-changes.ts'

export interface Takeover {
  readonly worker: string
  /** ARN of the execution; undefined if the worker is invoked directly. */
  readonly execution: string | undefined
  readonly entity: EntitySettings
  readonly rememberedPageSize: RememberedPageSize | undefined
  /** How the worker before stopped. */
  readonly after: 'hand-off' | 'crash'
  /** The committed position of the attempt. */
  readonly position: Position
  /** Committed pages over all ranges. */
  readonly committedPages: number
  readonly now: number
}

/** The run as its next worker continues it. */
export function takeOver(run: ActiveRun, next: Takeover): ActiveRun {
  const { worker, execution = run.execution, after, position, now } = next
  const continued = {
    ...(run.status === 'publishing' ? run : running(run, now)),
    worker,
    execution,
    ...planFor(run, next),
  }
  if (after === 'hand-off') return continued
  return {
    ...continued,
    // After the end nothing is requested. Before the first page there is no cursor, but a crashed worker's commit of
    // that page may still be in flight, and with it the request that followed.
    suspect: run.suspect || (position.kind !== 'end' && run.status !== 'publishing'),
    partitions: suspectRanges(continued.partitions),
    crashes: crashesAt(run, next.committedPages),
  }
}

/**
 * Until its first page has arrived, a run follows the configuration that its worker was deployed with. The first page of
 * a worker that crashed may still be on its way, so nothing changes after a crash.
 */
function planFor(run: ActiveRun, next: Takeover): Pick<ActiveRun, 'plan' | 'partitions'> {
  const { attempt, worker, plan, partitions } = run
  const { after, position, entity, rememberedPageSize: remembered } = next
  const mayHavePage = position.kind !== 'start' || (after === 'crash' && worker !== undefined)
  if (attempt > 1 || mayHavePage || partitions.kind === 'ranges') return { plan, partitions }
  const isRemembered = remembered?.configured === entity.pageSize
  const configured = planOf(
    entity,
    isRemembered ? Math.min(remembered.next, entity.pageSize) : entity.pageSize,
  )
  // A worker of this configuration may have learned that a smaller page is needed.
  const isSame = isDeepStrictEqual({ ...plan, pageSize: 0 }, { ...configured, pageSize: 0 })
  return worker !== undefined && isSame
    ? { plan, partitions }
    : { plan: configured, partitions: unplanned(entity) }
}

/** Crashes add up only while no page is committed between them. */
function crashesAt({ attempt, crashes }: ActiveRun, page: number): Crashes {
  const isSamePlace = crashes?.attempt === attempt && crashes.page === page
  return { count: isSamePlace ? crashes.count + 1 : 1, attempt, page }
}

/** Consecutive workers that may crash at the same page before the run is given up. */
const maxCrashes = 5

export function isCrashLooping({ crashes }: ActiveRun): boolean {
  return (crashes?.count ?? 0) >= maxCrashes
}
