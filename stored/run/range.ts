import type { Exchange } from '../../functions/upstream/recorded-exchange.ts'
import type { RetryState } from '../../functions/upstream/retry.ts'
import type { Proof } from './proof.ts'

/** A part of an entity with its own scroll, attempts and proof. One without partitions is a range without a filter. */
export type RangeState = OpenRange | ProvenRange

interface RangeCore {
  /** What the range contains; undefined for the whole entity. */
  readonly filter: RangeFilter | undefined
  readonly attempt: number
  readonly attemptStartedAt: string
  /** True if the outcome of a request of this attempt is unknown, so that a page may be missing. */
  readonly suspect: boolean
  /** Why it is suspect, as a clause. Absent in runs of older versions. */
  readonly doubt?: string | undefined
  /** The `_size` of the next first request. */
  readonly pageSize: number
  readonly crashes: Crashes | undefined
  /** Signatures of the malformed documents that its attempts received. Absent before the first one. */
  readonly malformed?: readonly string[] | undefined
  /** Unique ids of the earlier attempts that were not suspect. */
  readonly cleanCounts: readonly number[]
}

export interface RangeFilter {
  /** In the syntax of the platform's `_where`. */
  readonly where: string
  /** Documents that match, as reported when the coverage of all ranges was checked. */
  readonly documents: number
}

export interface OpenRange extends RangeCore {
  /** Nothing has been requested in this attempt while it is `planned`. */
  readonly state: 'planned' | 'open'
  /** No request is sent before this time, in epoch milliseconds. */
  readonly readyAt: number
  /** Of this attempt. It is stored, since a wait can outlive its worker. */
  readonly retryState: RetryState | undefined
  /** Requests of this attempt since its last committed item. Absent from runs of 1.0.0. */
  readonly pendingExchanges?: readonly Exchange[]
}

/** Consecutive workers that crashed without committing a page of the attempt, and the page after which they crashed. */
export interface Crashes {
  readonly count: number
  readonly page: number
}

export interface ProvenRange extends RangeCore, RangeProof {
  readonly state: 'proven'
}

/** What the proof of a range found. */
export interface RangeProof {
  readonly proof: Proof
  readonly documents: number
  readonly uniqueIds: number
  readonly pages: number
  /** Documents of all pages, repeated ones included. */
  readonly received: number
  /** Null if the platform reported no valid total. */
  readonly total: number | null
  /** When its first page was received, in epoch milliseconds. */
  readonly openedAt: number
}

export interface NewRange {
  readonly filter: RangeFilter | undefined
  readonly pageSize: number
  /** Epoch milliseconds. */
  readonly now: number
}

export function newRange({ filter, pageSize, now }: NewRange): OpenRange {
  return {
    state: 'planned',
    filter,
    attempt: 1,
    attemptStartedAt: new Date(now).toISOString(),
    suspect: false,
    pageSize,
    readyAt: 0,
    retryState: undefined,
    crashes: undefined,
    cleanCounts: [],
  }
}

export function suspected(range: OpenRange, doubt: string): OpenRange {
  return range.suspect ? range : { ...range, suspect: true, doubt }
}

const maxMalformed = 20

export function withMalformed(range: OpenRange, signature: string): OpenRange {
  return { ...range, malformed: [...(range.malformed ?? []), signature].slice(-maxMalformed) }
}

/** The range as its next worker continues it. */
export function interrupted(
  range: OpenRange,
  learned: Pick<OpenRange, 'retryState' | 'pageSize' | 'readyAt' | 'pendingExchanges'>,
): OpenRange {
  return { ...range, ...learned }
}

export interface AttemptEnd {
  readonly pageSize: number
  /** Of the pages that were received; undefined if the scroll did not reach its end. */
  readonly uniqueIds: number | undefined
  readonly now: number
}

/** The next attempt begins without the retry state, the crashes and the suspicion of the previous one. */
export function nextAttempt(range: OpenRange, { pageSize, uniqueIds, now }: AttemptEnd): OpenRange {
  // The count of a suspect attempt never vouches for a later one.
  const counts = range.suspect || uniqueIds === undefined ? [] : [uniqueIds]
  return {
    ...newRange({ filter: range.filter, pageSize, now }),
    attempt: range.attempt + 1,
    cleanCounts: [...range.cleanCounts, ...counts],
    ...(range.malformed && { malformed: range.malformed }),
  }
}

export function proven(
  { readyAt: _readyAt, retryState: _retryState, pendingExchanges: _pending, ...range }: OpenRange,
  proof: RangeProof,
): ProvenRange {
  return { ...range, ...proof, state: 'proven' }
}

/**
 * After a crash the outcome of the last request is unknown, unless the scroll had ended. `page` is the last committed
 * one. Crashes add up only while no page is committed between them.
 */
export function crashed(
  range: OpenRange,
  { page, hasEnded }: { readonly page: number; readonly hasEnded: boolean },
): OpenRange {
  if (range.state === 'planned') return range
  const count = range.crashes?.page === page ? range.crashes.count + 1 : 1
  const open = hasEnded ? range : suspected(range, `a worker crashed after page ${page}`)
  return { ...open, crashes: { count, page } }
}
