import { chainSnapshotRun } from './chain-facts.ts'
import type { ChangesLatest, LastingFailure } from './changes-latest.ts'

/** How the last comparison that published nothing ended: the content of `changes/<entity>/unpublished.json`. */
export type UnpublishedComparison =
  /** Change sets were turned off before the entity had one. */
  { readonly kind: 'off'; readonly runId: string } | RecordedFailure

export interface RecordedFailure {
  readonly kind: 'failed'
  /** The run that was published at that time. */
  readonly runId: string
  /** The run of the chain's snapshot; null if the set would have begun a chain. */
  readonly base: string | null
  readonly cause: LastingFailure | 'other'
  readonly reason: string
  /** How many comparisons from this base have failed in a row. */
  readonly count: number
  /** When the first of them failed, in ISO 8601. */
  readonly since: string
}

/** The run of the chain's snapshot that the next comparison starts from; null if it begins a chain. */
export const nextBase = (chain: ChangesLatest | undefined): string | null =>
  chain?.reset === null ? chainSnapshotRun(chain) : null

/** The failures that the chain has not overcome: it still ends before them, and was not reset since. */
export function currentFailure(
  unpublished: UnpublishedComparison | undefined,
  chain: ChangesLatest | undefined,
): RecordedFailure | undefined {
  if (unpublished?.kind !== 'failed' || unpublished.base !== nextBase(chain)) return undefined
  return !chain || unpublished.runId > chainSnapshotRun(chain) ? unpublished : undefined
}
