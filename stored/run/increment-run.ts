import { noProgress } from '../pages/page.ts'
import type { Proof } from './proof.ts'
import { newCore, type RunCore, type RunEnding, type RunStart } from './run-core.ts'

/** A run that publishes a change set of what the platform says has changed. One worker carries it out. */
export type IncrementRun = ActiveIncrement | EndedIncrement
/** One that is `publishing` can no longer be cancelled. */
export type ActiveIncrement = IncrementCore & { readonly status: 'running' | 'publishing' }
export type EndedIncrement = DeliveredIncrement | UnpublishedIncrement
export type DeliveredIncrement = IncrementCore & Ended & Delivered
type UnpublishedIncrement = IncrementCore & Ended & Unpublished

interface IncrementCore extends RunCore {
  readonly kind: 'increment'
  /** Its lease names the worker. */
  readonly worker: undefined
}

interface Ended extends RunEnding {
  readonly abandoned: false
}

interface Delivered {
  readonly status: 'published'
  readonly proof: Proof
  /** Unique documents of its scroll. */
  readonly uniqueIds: number
  /** Key of the manifest of its change set; null if there was nothing new. */
  readonly manifest: string | null
  readonly increment: IncrementResult
}

/** What an increment found in its window. */
export interface IncrementResult {
  /** The window, in ISO 8601. Both ends belong to it. */
  readonly from: string
  readonly to: string
  readonly records: number
  /** Documents for which an increment had delivered a newer version. */
  readonly older: number
  /** Documents without an id, which were left out. */
  readonly withoutId: number
}

interface Unpublished {
  readonly status: 'failed' | 'cancelled' | 'skipped'
  readonly reason: string
}

export const newIncrement = (start: RunStart): ActiveIncrement => ({ ...newCore(start), kind: 'increment' })

/** What an increment found. */
export interface Delivery extends Delivered {
  readonly pages: number
  readonly total: number
}

/** `now` is in epoch milliseconds. */
export const delivered = (run: ActiveIncrement, delivery: Delivery, now: number): DeliveredIncrement => ({
  ...endOf(run, now),
  documents: delivery.uniqueIds,
  ...delivery,
})

export const unpublished = (run: ActiveIncrement, why: Unpublished, now: number): UnpublishedIncrement => ({
  ...endOf(run, now),
  ...why,
})

function endOf(run: ActiveIncrement, now: number) {
  const time = new Date(now).toISOString()
  return { ...run, ...noProgress, updatedAt: time, endedAt: time, abandoned: false } as const
}
