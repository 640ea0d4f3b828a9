import { mapPooled } from '../../functions/runtime/map-pooled.ts'
import type { Position, Progress, RecordedProgress, ScrollPosition, ScrollProgress } from '../pages/page.ts'
import { progressOf } from '../pages/page.ts'
import type { PageItems } from '../pages/page-items.ts'
import type { AttemptId } from '../pages/page-partition.ts'
import { rangesOf } from './ranges-of-split.ts'
import { type ActiveFullRun, type Run, rangesOfRun, splitOfRun } from './run.ts'

/** The current attempt of a range. The keys of its pages name the range unless it is the whole entity. */
export function attemptOf(
  { runId, split }: Pick<ActiveFullRun, 'runId' | 'split'>,
  index: number,
): AttemptId {
  const attempt = rangesOf(split)[index]?.attempt ?? 1
  return split.kind === 'ranges' ? { runId, range: index, attempt } : { runId, attempt }
}

/** None of a run that does not scroll, or whose pages are not committed. */
function attemptsOf(run: Run): AttemptId[] {
  return run.kind === 'full' ? rangesOfRun(run).map((_, index) => attemptOf(run, index)) : []
}

const maxConcurrentReads = 4

/** The committed position of each of them; undefined before its first page. */
export function positionsOf(
  state: Pick<PageItems, 'lastPosition'>,
  run: Run,
): Promise<(Position | undefined)[]> {
  return mapPooled(attemptsOf(run), maxConcurrentReads, (attempt) => state.lastPosition(attempt))
}

/** The positions that the run's worker recorded when it extended the lease. */
export function recordedPositions(
  run: Run,
  progress: RecordedProgress | undefined,
): (ScrollPosition | undefined)[] {
  const scrolls = progress?.runId === run.runId ? progress.scrolls : []
  return attemptsOf(run).map(({ range, attempt }) =>
    scrolls.find((scroll) => scroll.range === range && scroll.attempt === attempt),
  )
}

/** The progress of a run over all of its ranges. */
export function progressOver(run: Run, positions: readonly (ScrollPosition | undefined)[]): Progress {
  const rangeProgress = positions.map(progressOf)
  const sum = (of: (part: ScrollProgress) => number) =>
    rangeProgress.reduce((total, part) => total + of(part), 0)
  const split = splitOfRun(run)
  return {
    documents: sum(({ documents }) => documents),
    pages: sum(({ pages }) => pages),
    total: split?.kind === 'ranges' ? split.total : rangeProgress[0]?.total,
    rangeProgress,
  }
}

export async function progressOfRun(state: Pick<PageItems, 'lastPosition'>, run: Run): Promise<Progress> {
  return progressOver(run, await positionsOf(state, run))
}
