import type { EntitySettings } from '../../functions/runtime/settings.ts'
import type { Proof } from './proof.ts'
import { newRange, type RangeFilter, type RangeState } from './range.ts'

/** The ranges in which a run scrolls its entity. */
export type Split =
  /** How to split the entity is not decided yet. `crashes` counts the workers that crashed while they planned it. */
  | { readonly kind: 'unplanned'; readonly crashes: number }
  /** One scroll of an entity that is not partitioned. */
  | { readonly kind: 'whole'; readonly range: RangeState }
  /** One scroll of a partitioned entity, and why it is not scrolled in ranges. */
  | { readonly kind: 'fallback'; readonly reason: string; readonly range: RangeState }
  | PlannedRanges

export interface PlannedRanges extends Omit<RangePlan, 'onBoundaries' | 'reading' | 'filters'> {
  readonly kind: 'ranges'
  /** Documents on the boundaries, which are in two ranges; absent from runs that older releases planned. */
  readonly onBoundaries?: number
  /** The totals that the coverage was decided by; absent from runs that older releases planned. */
  readonly reading?: CoverageReading
  /** True if a range was opened after a later one, so that a document that was created again may be in neither. */
  readonly reopened: boolean
  /** In the order in which they are opened. */
  readonly ranges: readonly RangeState[]
}

/** The totals of searches in one reading. */
export interface CoverageReading {
  /** Of the entity without ranges, before and after the others were read. */
  readonly whole: readonly [number, number]
  readonly ranges: readonly number[]
  /** Documents on each boundary, which are in two ranges. */
  readonly onBoundaries: readonly number[]
}

/** `exact` if the filters were shown to contain every document of the entity. */
export type Coverage = 'exact' | 'approximate'

export interface Boundaries {
  /** ISO 8601, ascending. */
  readonly boundaries: readonly string[]
  /** When they were last searched for, in ISO 8601. */
  readonly searchedAt: string
  /** True if that search found none that are better than these. */
  readonly areBest?: true
}

/** What the absence of a document from a snapshot by ranges means. */
export type Absences =
  /** The document was deleted. */
  | 'proven'
  /** It was deleted if it is absent from the next snapshot, too. */
  | 'repeatable'
  /** Nothing. */
  | 'unknown'

/** A range in the manifest of the published snapshot. */
export interface ManifestPartition {
  readonly where: string
  readonly documents: number
  readonly reportedTotal: number | null
  readonly attempts: number
  /** Absent from snapshots of older releases. */
  readonly uniqueIds?: number
  readonly proof?: Proof
}

export interface PartitionResult extends Boundaries {
  readonly by: string
  readonly count: number
  readonly absences: Absences
  /** Documents in two ranges that share no boundary, so that others may be in none; absent if there are none. */
  readonly overlapping?: number
  readonly ranges: readonly ManifestPartition[]
}

export interface FirstRange {
  readonly pageSize: number
  /** Epoch milliseconds. */
  readonly now: number
}

/** How a run begins. */
export function splitOf({ partitions }: Pick<EntitySettings, 'partitions'>, first: FirstRange): Split {
  return partitions
    ? { kind: 'unplanned', crashes: 0 }
    : { kind: 'whole', range: newRange({ filter: undefined, ...first }) }
}

export function fallback(reason: string, first: FirstRange): Split {
  return { kind: 'fallback', reason, range: newRange({ filter: undefined, ...first }) }
}

export interface RangePlan extends Boundaries {
  readonly by: string
  /** Number of ranges that was configured. There are fewer boundaries if values coincide. */
  readonly count: number
  /** Documents of the entity, as reported when the coverage of the ranges was checked. */
  readonly total: number
  readonly coverage: Coverage
  readonly onBoundaries: number
  readonly reading: CoverageReading
  readonly filters: readonly RangeFilter[]
}

export function plannedRanges({ filters, ...plan }: RangePlan, first: FirstRange): PlannedRanges {
  const ranges = filters.map((filter) => newRange({ filter, ...first }))
  return { ...plan, kind: 'ranges', reopened: false, ranges }
}

/** Changes each range. */
export function mapRanges(split: Split, change: (range: RangeState, index: number) => RangeState): Split {
  if (split.kind === 'unplanned') return split
  return split.kind === 'ranges'
    ? { ...split, ranges: split.ranges.map(change) }
    : { ...split, range: change(split.range, 0) }
}
