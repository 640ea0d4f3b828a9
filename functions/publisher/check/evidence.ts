import type { Proof } from '../../../stored/run/proof.ts'
import type { ScrollPlan } from '../../../stored/run/run.ts'
import type { CoverageReading } from '../../../stored/run/split.ts'
import type { UnknownOutcome } from './attempt.ts'
import type { End } from './proof.ts'

/** What a proof was decided from, as `evidence.json`. */
export interface Evidence {
  readonly version: 1
  readonly entity: string
  readonly runId: string
  readonly checkedAt: string
  /** Of the manifest's `pages` as JSON, in hex. */
  readonly pagesSha256: string
  readonly limits: Required<
    Pick<ScrollPlan, 'totals' | 'totalTolerancePercent' | 'maxShrinkPercent' | 'allowEmpty'>
  >
  readonly ranges: readonly RangeEvidence[]
  readonly coverage: CoverageEvidence | null
  readonly uniqueIds: number
  readonly withoutId: number
  /** Of the ids' hashes modulo 2^128, as 32 hex digits. */
  readonly idSum: string
}

export interface RangeEvidence {
  readonly where: string | null
  readonly attempt: number
  readonly openedAt: string
  /** The header's text. */
  readonly total: string | null
  readonly documents: number
  readonly uniqueIds: number
  readonly largestPage: number
  readonly suspect: boolean
  /** At most 1,000. */
  readonly unknown: readonly UnknownOutcome[]
  readonly end: Exclude<End, 'capped'>
  /** Unique ids of the snapshot that was published; null without one. */
  readonly publishedIds: number | null
  readonly proof: Proof
  readonly earlier: readonly Pick<RangeEvidence, 'attempt' | 'uniqueIds' | 'suspect'>[]
}

export interface CoverageEvidence extends CoverageReading {
  readonly by: string
  readonly boundaries: readonly string[]
  readonly reopened: boolean
  /** Documents that were found in more than one range. */
  readonly overlap: number
  readonly exact: boolean
}

export const maxUnknown = 1000
