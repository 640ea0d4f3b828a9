import { isDeepStrictEqual } from 'node:util'
import type { RememberedPageSize } from '../../../stored/entity-items.ts'
import type { Position } from '../../../stored/pages/page.ts'
import { crashed } from '../../../stored/run/range.ts'
import type { ActiveFullRun, ActiveRun } from '../../../stored/run/run.ts'
import { limitsOf, planOf, rangesOfRun, splitOfRun } from '../../../stored/run/run.ts'
import { running } from '../../../stored/run/run-changes.ts'
import { mapRanges, splitOf } from '../../../stored/run/split.ts'
import type { EntitySettings } from '../../runtime/settings.ts'
import { firstPageSize } from './page-size.ts'

export interface Takeover {
  readonly worker: string
  /** ARN of the execution; undefined if the worker is invoked directly. */
  readonly execution: string | undefined
  readonly entity: EntitySettings
  readonly rememberedPageSize: RememberedPageSize | undefined
  /** How the previous worker stopped. */
  readonly after: 'hand-off' | 'crash'
  /** The committed position of each range; undefined before its first page. */
  readonly positions: readonly (Position | undefined)[]
  readonly now: number
}

export function takeOver(run: ActiveRun, next: Takeover): ActiveRun {
  const { worker, execution = run.execution, after, positions, now } = next
  const taken = { ...(run.status === 'publishing' ? run : running(run, now)), worker, execution }
  if (taken.kind === 'republication')
    return taken.status === 'publishing' ? taken : { ...taken, limits: limitsOf(next.entity) }
  const continued = { ...taken, ...planFor({ ...taken, worker: run.worker }, next) }
  if (after === 'hand-off') return continued
  if (continued.split.kind === 'unplanned')
    return { ...continued, split: { ...continued.split, crashes: continued.split.crashes + 1 } }
  const split = mapRanges(continued.split, (range, index) => {
    const position = positions[index]
    if (range.state === 'proven') return range
    return crashed(range, { page: position?.page ?? 0, hasEnded: position?.kind === 'end' })
  })
  return { ...continued, split }
}

/**
 * Until its first page has arrived, a run follows the configuration that its worker was deployed with. The first page of
 * a worker that crashed may still be on its way, so nothing changes after a crash.
 */
function planFor(run: ActiveFullRun, next: Takeover): Pick<ActiveFullRun, 'plan' | 'split'> {
  const { worker, plan, split } = run
  const { entity, rememberedPageSize, now } = next
  if (mayHavePage(run, next)) return { plan, split }
  const pageSize = firstPageSize(entity, rememberedPageSize)
  const configured = planOf(entity, pageSize)
  // A worker of this configuration may have learned that a smaller page is needed.
  const isSame = isDeepStrictEqual({ ...plan, pageSize: 0 }, { ...configured, pageSize: 0 })
  const isPlannable = split.kind !== 'unplanned' || entity.partitions !== undefined
  return worker !== undefined && isSame && isPlannable
    ? { plan, split }
    : { plan: configured, split: splitOf(entity, { pageSize, now }) }
}

function mayHavePage({ split }: ActiveFullRun, { after, positions }: Takeover): boolean {
  // Before a run fell back to one scroll, its ranges may have received pages.
  if (split.kind !== 'whole') return split.kind !== 'unplanned'
  if (positions[0] !== undefined) return true
  const { range } = split
  return range.attempt > 1 || (after === 'crash' && range.state !== 'planned')
}

/** Consecutive workers that may crash at the same page before the run is given up. */
const maxCrashes = 5

/** True if none of the ranges that are being scrolled gets further, or their planning does not. */
export function isCrashLooping(run: ActiveRun): boolean {
  const split = splitOfRun(run)
  if (split?.kind === 'unplanned') return split.crashes >= maxCrashes
  const open = rangesOfRun(run).flatMap((range) => (range.state === 'open' ? [range] : []))
  return open.length > 0 && open.every(({ crashes }) => (crashes?.count ?? 0) >= maxCrashes)
}
