import { SearchFailed } from '../../partitions/search.ts'
import { settleAll } from '../../runtime/settle-all.ts'
import { type Position, progressOf } from '../../state/pages/page.ts'
import { pagesOf, positionsOf } from '../../state/run/attempts.ts'
import type { ManifestPartition, PlannedRanges } from '../../state/run/partitions.ts'
import { publishing, withPageSize } from '../../state/run/run-changes.ts'
import type { AttemptContext } from '../context.ts'
import { countPages } from '../proof/page-count.ts'
import { resultOf } from '../proof/result.ts'
import { publish } from '../publish/publish.ts'
import type { StepResponse } from '../response.ts'
import { endRun } from '../run/end.ts'
import type { RunSession } from '../run/session.ts'
import { decideCoverage } from './coverage.ts'
import { createSearch } from './search-io.ts'

export type CoverageEnd =
  | { readonly kind: 'covered'; readonly response: StepResponse }
  | { readonly kind: 'not-covered'; readonly reason: string }

/** Publishes a run whose ranges are all proven, if together they contain the whole entity. */
export async function proveCoverage(context: AttemptContext, session: RunSession): Promise<CoverageEnd> {
  const { state, now } = context
  const { run, entity } = session
  const { partitions } = run
  if (partitions.kind !== 'ranges') throw new Error('The run has no ranges.')
  await session.renew()
  const { totalBefore } = partitions
  const [count, totalAfter] = await settleAll([
    countPages(pagesOf(state, run)),
    readTotalAfter(context, session, partitions),
  ])
  const { uniqueIds } = count
  const { totalTolerancePercent: tolerancePercent } = entity
  const decision = decideCoverage({ uniqueIds, totalBefore, totalAfter, tolerancePercent })
  if (decision.kind === 'not-covered') return decision

  const positions = (await positionsOf(state, run)).filter((position) => position !== undefined)
  const result = resultOf(session.run, {
    proof: decision.proof,
    count,
    position: {
      total: uniqueIds === totalAfter ? totalAfter : totalBefore,
      pageSize: Math.min(...positions.map(({ pageSize }) => pageSize)),
      openedAt: Math.min(...positions.map(({ openedAt }) => openedAt)),
    },
    partitions: {
      by: partitions.by,
      count: partitions.count,
      boundaries: partitions.boundaries,
      ranges: manifestPartitions(partitions, positions),
    },
    now: now(),
  })
  const proven = await session.save(publishing(withPageSize(session.run, result.pageSize), result, now()))
  await session.renew()
  const ended = await publish(context, proven, { entity, count })
  return { kind: 'covered', response: await endRun(context, session, ended) }
}

/** If the platform does not answer, only the total from before the ranges counts. */
async function readTotalAfter(
  context: AttemptContext,
  session: RunSession,
  { by, totalBefore }: PlannedRanges,
): Promise<number> {
  try {
    return (await createSearch(context, session, by)({})).total
  } catch (error) {
    if (error instanceof SearchFailed) return totalBefore
    throw error
  }
}

function manifestPartitions({ ranges }: PlannedRanges, positions: readonly Position[]): ManifestPartition[] {
  return ranges.map(({ where, attempt }, index) => {
    const { documents, total = null } = progressOf(positions[index])
    return { where, documents, reportedTotal: total, attempts: attempt }
  })
}
