import type { EntitySettings } from '../../runtime/settings.ts'
import type { RetryState } from './retry-state.ts'

/** How a run scrolls its entity. */
export type Partitions =
  /** In one scroll. */
  | { readonly kind: 'none' }
  /** In ranges that have not been planned yet. */
  | { readonly kind: 'unplanned' }
  | PlannedRanges
  /** In one scroll, because ranges could not be used. */
  | { readonly kind: 'fallback'; readonly reason: string }

export interface PlannedRanges {
  readonly kind: 'ranges'
  readonly by: string
  /** Ranges that were asked for. There are fewer boundaries if values coincide. */
  readonly count: number
  /** ISO 8601, ascending. */
  readonly boundaries: readonly string[]
  /** Documents of the entity without partitions, reported before the ranges were opened. */
  readonly totalBefore: number
  readonly ranges: readonly RangeState[]
}

/** One range of a run. It has its own scroll, attempts and proof. */
export interface RangeState {
  /** The filter of the range, in the syntax of the platform's `_where`. */
  readonly where: string
  readonly state: 'open' | 'proven'
  readonly attempt: number
  readonly suspect: boolean
  readonly retryState: RetryState | undefined
  /** Unique ids of the earlier attempts that were not suspect. */
  readonly cleanCounts: readonly number[]
  /** The `_size` of the next first request. */
  readonly pageSize: number
}

/** A range in the manifest of the published snapshot. */
export interface ManifestPartition {
  readonly where: string
  readonly documents: number
  readonly reportedTotal: number | null
  readonly attempts: number
}

export interface PartitionResult {
  readonly by: string
  readonly count: number
  readonly boundaries: readonly string[]
  readonly ranges: readonly ManifestPartition[]
}

export function unplanned({ partitions }: Pick<EntitySettings, 'partitions'>): Partitions {
  return { kind: partitions ? 'unplanned' : 'none' }
}

export function plannedRanges(
  plan: Pick<PlannedRanges, 'by' | 'count' | 'boundaries' | 'totalBefore'> & {
    readonly filters: readonly string[]
  },
  pageSize: number,
): PlannedRanges {
  const { by, count, boundaries, totalBefore, filters } = plan
  const ranges = filters.map(
    (where): RangeState => ({
      where,
      state: 'open',
      attempt: 1,
      suspect: false,
      retryState: undefined,
      cleanCounts: [],
      pageSize,
    }),
  )
  return { kind: 'ranges', by, count, boundaries, totalBefore, ranges }
}

/** After a crash the outcome of the last request of each open range is unknown. */
export function suspectRanges(partitions: Partitions): Partitions {
  if (partitions.kind !== 'ranges') return partitions
  const ranges = partitions.ranges.map((range) =>
    range.state === 'open' ? { ...range, suspect: true } : range,
  )
  return { ...partitions, ranges }
}
