import { durationOf } from '../../functions/state/run/run.ts'
import type { RunView } from '../../functions/sync-api/views.ts'

/** How long a page takes, and how many documents it has. */
export interface Pace {
  /**
   * What it was measured with: a published run, or the searches, to which the platform responds faster than to requests
   * for pages.
   */
  readonly basis: { readonly kind: 'run'; readonly runId: string } | { readonly kind: 'searches' }
  readonly msPerPage: number
  readonly documentsPerPage: number
}

/** Numbers of scrolls that a time is estimated for. */
const scrollCounts = [1, 2, 4, 8] as const

export interface Estimate {
  readonly scrolls: number
  readonly milliseconds: number
}

/** The pace of the last run (newest first) that published in one attempt of one scroll. */
export function paceOfRuns(runs: readonly RunView[]): Pace | undefined {
  for (const run of runs) {
    const { status, attempt, pages, documents, partitions, partitionsReason } = run
    const { startedAt, endedAt, refusedAt } = run
    const isSequential = partitions === null && partitionsReason === null
    if (status !== 'published' || !isSequential || attempt > 1 || documents === 0 || endedAt === null)
      continue
    return {
      basis: { kind: 'run', runId: run.runId },
      msPerPage: durationOf({ startedAt, endedAt, refusedAt }) / pages,
      documentsPerPage: documents / pages,
    }
  }
  return undefined
}

/**
 * Estimates the time of a sync: one scroll takes the whole entity, several take the ranges in order, each the next one
 * as soon as it is free.
 */
export function estimateTimes(
  { total, ranges }: { readonly total: number; readonly ranges: readonly number[] },
  { msPerPage, documentsPerPage }: Pace,
): Estimate[] {
  const pagesOf = (documents: number) => Math.max(1, Math.ceil(documents / documentsPerPage))
  return scrollCounts.map((scrolls) => {
    const parts = scrolls === 1 ? [total] : ranges
    return { scrolls, milliseconds: Math.round(longestOf(parts.map(pagesOf), scrolls) * msPerPage) }
  })
}

/** The pages of the scroll that ends last. */
function longestOf(parts: readonly number[], scrolls: number): number {
  const busy = Array.from({ length: scrolls }, () => 0)
  for (const pages of parts) {
    const free = busy.indexOf(Math.min(...busy))
    busy[free] = (busy[free] ?? 0) + pages
  }
  return Math.max(...busy)
}
