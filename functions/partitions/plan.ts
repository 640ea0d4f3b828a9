import type { PartitionSettings } from '../runtime/settings.ts'
import { settleAll } from '../runtime/settle-all.ts'
import { findBoundaries } from './boundaries.ts'
import { filterOf, rangesOf } from './ranges.ts'
import { maxTries, SearchFailed, type SearchResult } from './search.ts'
import { decideSplit, type SplitDecision } from './split.ts'

/** How a run splits its entity, settled before any range is opened. */
export type Plan =
  | { readonly kind: 'whole'; readonly reason: string }
  | {
      readonly kind: 'ranges'
      readonly boundaries: readonly string[]
      readonly filters: readonly string[]
      /** Of the entity without partitions, and of each range. */
      readonly totalBefore: number
      readonly totals: readonly number[]
    }

/** The search for boundaries takes at most this many requests. */
const maxBoundaryRequests = 100

/** A search for one document that matches a filter; the whole entity without one. Throws `SearchFailed`. */
export type Search = (request: { where?: string; sort?: 'ASC' | 'DESC' }) => Promise<SearchResult>

/**
 * Plans the ranges of a run: by the boundaries of the last published snapshot while they are balanced, or else by new
 * ones. If ranges cannot be used, the plan is one scroll of the whole entity, with the reason.
 */
export async function planRanges(
  { by, count }: PartitionSettings,
  known: readonly string[] | undefined,
  search: Search,
): Promise<Plan> {
  try {
    const plan = async (boundaries: readonly string[]) => {
      const filters = rangesOf(boundaries).map((range) => filterOf(by, range))
      // Concurrently: there are no more of them than scrolls that the run opens next.
      const results = await settleAll([search({}), ...filters.map((where) => search({ where }))])
      const [totalBefore = 0, ...totals] = results.map(({ total }) => total)
      const decision = decideSplit({ whole: totalBefore, ranges: totals })
      return { decision, boundaries, filters, totalBefore, totals }
    }
    const reused = known && (await plan(known))
    if (reused?.decision.kind === 'scroll-ranges') return planOf(reused)
    const fresh = await plan(await newBoundaries({ by, count }, search))
    return planOf(fresh)
  } catch (error) {
    if (error instanceof SearchFailed) return { kind: 'whole', reason: error.message }
    throw error
  }
}

function planOf({
  decision,
  ...ranges
}: Omit<Plan & { kind: 'ranges' }, 'kind'> & { decision: SplitDecision }): Plan {
  if (decision.kind === 'scroll-whole') return { kind: 'whole', reason: decision.reason }
  return { kind: 'ranges', ...ranges }
}

async function newBoundaries({ by, count }: PartitionSettings, search: Search): Promise<string[]> {
  const withValue = `(${by} is not null)`
  const first = await search({ where: withValue, sort: 'ASC' })
  const last = await search({ where: withValue, sort: 'DESC' })
  if (first.total === 0) return []
  const spread = { firstMs: timeOf(by, first), lastMs: timeOf(by, last), total: first.total }
  // The last search may take all of its tries.
  const maxRequests = maxBoundaryRequests - first.requests - last.requests - (maxTries - 1)
  return findBoundaries(spread, { count, maxRequests }, async (timeMs) => {
    const to = new Date(timeMs).toISOString()
    const { total, requests } = await search({ where: filterOf(by, { kind: 'up-to', to }) })
    return { documents: total, requests }
  })
}

function timeOf(by: string, { value }: SearchResult): number {
  const timeMs = typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (Number.isNaN(timeMs)) throw new SearchFailed(`The field ${by} does not contain dates.`)
  return timeMs
}
