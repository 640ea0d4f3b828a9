import type { Position } from '../../state/pages/page.ts'
import type { PartitionResult } from '../../state/run/partitions.ts'
import type { Proof } from '../../state/run/proof.ts'
import type { ActiveRun, RunResult } from '../../state/run/run.ts'
import type { PageCount } from './page-count.ts'

export interface ProvenAttempt {
  readonly proof: Proof
  readonly count: PageCount
  readonly position: Pick<Position, 'total' | 'pageSize' | 'openedAt'>
  readonly partitions: PartitionResult | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

/** What a run records of its proven attempt, from which its manifest is written. */
export function resultOf(
  run: ActiveRun,
  { proof, count, position, partitions, now }: ProvenAttempt,
): RunResult {
  const { documents, uniqueIds, pages } = count
  const { total, pageSize, openedAt } = position
  return {
    proof,
    documents,
    uniqueIds,
    pages: pages.length,
    reportedTotal: typeof total === 'number' ? total : null,
    pageSize,
    openedAt: new Date(openedAt).toISOString(),
    finishedAt: new Date(now).toISOString(),
    partitions,
    spent: {
      requests: run.requests,
      receivedBytes: run.receivedBytes,
      milliseconds: now - Date.parse(run.startedAt),
    },
  }
}
