import { dayMs } from '../../functions/runtime/durations.ts'
import { formatDocuments } from '../../functions/runtime/format.ts'
import type { PartitionSettings } from '../../functions/runtime/settings.ts'
import { settleAll } from '../../functions/runtime/settle-all.ts'
import { epochMicroseconds } from '../documents/iso-8601.ts'
import type { Boundaries, RangePlan } from '../run/split.ts'
import { findBoundaries } from './boundaries.ts'
import { decideCoverage, isBalanced, keptBoundaries, type Reading } from './coverage.ts'
import { filterOf, rangesBetween } from './ranges.ts'
import { SearchFailed, type SearchResult } from './search.ts'
import { maxTries } from './search-outcomes.ts'

/** How a run splits its entity, settled before any range is opened. */
export type Plan =
  | { readonly kind: 'whole'; readonly reason: string }
  | ({ readonly kind: 'ranges' } & RangePlan)

/** A search for one document that matches a filter; the whole entity without one. Throws `SearchFailed`. */
export type Search = (request: { where?: string; sort?: 'ASC' | 'DESC' }) => Promise<SearchResult>

export interface PlanIo {
  readonly search: Search
  sleep(ms: number): Promise<void>
  now(): number
}

/** The search for boundaries takes at most this many requests. */
const maxBoundaryRequests = 100
/** Boundaries that could not be improved are used for so long before better ones are searched for again. */
const boundaryLifeMs = dayMs
const pauseMs = 1_000

/**
 * Plans the ranges of a run: by the boundaries of the last published snapshot while they are balanced, or else by new
 * ones. If the ranges are not shown to contain the entity, the plan is one scroll of the whole, with the reason.
 */
export async function planRanges(
  settings: PartitionSettings,
  known: Boundaries | undefined,
  io: PlanIo,
): Promise<Plan> {
  const reused = known && (await unlessSearchFails(() => covered(settings, known, io)))
  if (reused?.kind === 'whole') return reused
  if (reused && (reused.isBalanced || (reused.plan.areBest && isRecent(reused.plan, io.now()))))
    return planOf(reused)
  const searchedAt = new Date(io.now()).toISOString()
  const fresh = await unlessSearchFails(async () => {
    const boundaries = await newBoundaries(settings, io.search)
    return covered(settings, { boundaries, searchedAt }, io)
  })
  if (!reused) return planOf(fresh)
  // A failed search says nothing about other boundaries: the next run searches again.
  if (fresh.kind === 'whole') return planOf(reused)
  if (fresh.largest < reused.largest) return planOf(fresh)
  return planOf({ ...reused, plan: { ...reused.plan, searchedAt, areBest: true } })
}

async function unlessSearchFails(read: () => Promise<CoveredRanges>): Promise<CoveredRanges> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof SearchFailed) return { kind: 'whole', reason: error.message }
    throw error
  }
}

const isRecent = ({ searchedAt }: Boundaries, now: number) => now - Date.parse(searchedAt) < boundaryLifeMs

type CoveredRanges =
  | { readonly kind: 'whole'; readonly reason: string }
  | {
      readonly kind: 'ranges'
      readonly plan: RangePlan
      readonly isBalanced: boolean
      /** Documents of the largest range. */
      readonly largest: number
    }

function planOf(covered: CoveredRanges): Plan {
  return covered.kind === 'ranges' ? { kind: 'ranges', ...covered.plan } : covered
}

/** Reads the totals of the ranges until they are shown to contain the whole entity, or shown not to. */
async function covered(
  { by, count }: PartitionSettings,
  { boundaries, searchedAt, areBest }: Boundaries,
  io: PlanIo,
): Promise<CoveredRanges> {
  if (boundaries.length === 0) {
    return {
      kind: 'whole',
      reason: `The values of ${by} cannot be split into ranges: too few of them differ.`,
    }
  }
  const { decision, reading } = await readCoverage(by, boundaries, io)
  if (decision.kind === 'not-covered') return { kind: 'whole', reason: decision.reason }
  const { wholeAfter: total, ranges } = reading
  const kept = keptBoundaries(boundaries, reading.boundaries, total)
  if (kept.length < boundaries.length)
    return covered({ by, count }, { boundaries: kept, searchedAt, ...(areBest && { areBest }) }, io)
  const onBoundaries = reading.boundaries.reduce((sum, documents) => sum + documents, 0)
  const filters = filtersOf(by, boundaries).map((where, index) => ({ where, documents: ranges[index] ?? 0 }))
  return {
    kind: 'ranges',
    plan: {
      by,
      count,
      boundaries,
      searchedAt,
      ...(areBest && { areBest }),
      total,
      coverage: decision.coverage,
      onBoundaries,
      reading: {
        whole: [reading.wholeBefore, reading.wholeAfter],
        ranges: reading.ranges,
        onBoundaries: reading.boundaries,
      },
      filters,
    },
    isBalanced: isBalanced(reading),
    largest: Math.max(...ranges),
  }
}

/** Reads until the readings decide, and returns the last one with the decision. */
async function readCoverage(by: string, boundaries: readonly string[], io: PlanIo) {
  const readings: Reading[] = []
  for (;;) {
    const reading = await read(by, boundaries, io.search)
    readings.push(reading)
    const decision = decideCoverage(readings)
    if (decision.kind !== 'read-again') return { decision, reading }
    await io.sleep(pauseMs)
  }
}

function filtersOf(by: string, boundaries: readonly string[]): string[] {
  return rangesBetween(boundaries).map((range) => filterOf(by, range))
}

/** One reading. It sends only a few more requests at once than the run then opens scrolls. */
async function read(by: string, boundaries: readonly string[], search: Search): Promise<Reading> {
  const totalsOf = async (filters: readonly string[]) =>
    (await settleAll(filters.map((where) => search({ where })))).map(({ total }) => total)
  const { total: wholeBefore } = await search({})
  const [ranges, onBoundaries] = await settleAll([
    totalsOf(filtersOf(by, boundaries)),
    totalsOf(boundaries.map((value) => filterOf(by, { kind: 'at', value }))),
  ])
  const { total: wholeAfter } = await search({})
  return { wholeBefore, wholeAfter, ranges, boundaries: onBoundaries }
}

async function newBoundaries({ by, count }: PartitionSettings, search: Search): Promise<string[]> {
  const withValue = `(${by} is not null)`
  const first = await search({ where: withValue, sort: 'ASC' })
  const last = await search({ where: withValue, sort: 'DESC' })
  if (first.total === 0) throw await foundNothing(by, search)
  const spread = { firstMs: timeOf(by, first), lastMs: timeOf(by, last), total: first.total }
  // The last search may need all of its tries.
  const maxRequests = maxBoundaryRequests - first.requests - last.requests - (maxTries - 1)
  return findBoundaries(spread, { count, maxRequests }, async (timeMs) => {
    const to = new Date(timeMs).toISOString()
    const { total, requests } = await search({ where: filterOf(by, { kind: 'up-to', to }) })
    return { documents: total, requests }
  })
}

/** Why a search for the documents with a value finds none. */
async function foundNothing(by: string, search: Search): Promise<SearchFailed> {
  const { total } = await search({})
  const reason =
    total === 0
      ? 'Searches find no document of the entity: it is empty, or the search index of the platform does not have its documents.'
      : `A search finds ${formatDocuments(total)}, and none that has ${by}: no document has this field, or the platform does not understand the filter "${by} is not null".`
  return new SearchFailed('refused', reason)
}

function timeOf(by: string, { value, total }: SearchResult): number {
  if (value === undefined || value === null)
    throw new SearchFailed(
      'refused',
      `A search finds ${formatDocuments(total)} with ${by} and returns none of its values.`,
    )
  const time = typeof value === 'string' ? epochMicroseconds(value) : undefined
  if (time === undefined) throw new SearchFailed('refused', `The field ${by} does not contain dates.`)
  return Math.floor(time / 1000)
}
