import { type Position, type Progress, progressOf } from '../pages/page.ts'
import type { Attempt } from '../pages/page-items.ts'
import type { StateStore } from '../sync-state.aws.ts'
import type { Run } from './run.ts'

/** The current attempts of a run: one for each of its ranges, or one without partitions. */
export function attemptsOf({ runId, attempt, partitions }: Run): Attempt[] {
  return partitions.kind === 'ranges'
    ? partitions.ranges.map((range, index) => ({ runId, range: index, attempt: range.attempt }))
    : [{ runId, attempt }]
}

/** The committed position of each of them; undefined before its first page. */
export function positionsOf(
  state: Pick<StateStore, 'lastPosition'>,
  run: Run,
): Promise<(Position | undefined)[]> {
  return Promise.all(attemptsOf(run).map((attempt) => state.lastPosition(attempt)))
}

/** The committed pages of a run, range by range. */
export async function* pagesOf(state: Pick<StateStore, 'pages'>, run: Run) {
  for (const attempt of attemptsOf(run)) yield* state.pages(attempt)
}

/** The progress of a run over all of its ranges. */
export function progressOver(run: Run, positions: readonly (Position | undefined)[]): Progress {
  const parts = positions.map(progressOf)
  const sum = (of: (part: Progress) => number) => parts.reduce((total, part) => total + of(part), 0)
  return {
    documents: sum(({ documents }) => documents),
    pages: sum(({ pages }) => pages),
    total: run.partitions.kind === 'ranges' ? run.partitions.totalBefore : parts[0]?.total,
  }
}

export async function progressOfRun(state: Pick<StateStore, 'lastPosition'>, run: Run): Promise<Progress> {
  return progressOver(run, await positionsOf(state, run))
}
