import type { IncrementManifest } from '../../state/changes/changes.ts'
import type { IncrementWindow } from '../../state/changes/changes-latest.ts'
import type { SkipCode } from '../../state/entity-items.ts'
import type { Proof } from '../../state/run/proof.ts'

/** How an increment ends. */
export type IncrementEnd = PublishedEnd | UnpublishedEnd

export interface PublishedEnd {
  readonly status: 'published'
  readonly window: Pick<IncrementWindow, 'from' | 'to'>
  readonly proof: Proof
  readonly uniqueIds: number
  readonly pages: number
  readonly total: number
  readonly older: number
  readonly withoutId: number
  /** Undefined if there was nothing new. */
  readonly manifest: IncrementManifest | undefined
}

export type UnpublishedEnd = { readonly status: 'failed'; readonly reason: string } | SkippedEnd

export interface SkippedEnd {
  readonly status: 'skipped'
  readonly code: SkipCode
  readonly reason: string
}

/** The increment ends before its next step. */
export interface Stop {
  readonly kind: 'stop'
  readonly end: UnpublishedEnd
}

export const failed = (reason: string): UnpublishedEnd => ({ status: 'failed', reason })
export const skipped = (code: SkipCode, reason: string): SkippedEnd => ({ status: 'skipped', code, reason })
export const stop = (end: UnpublishedEnd): Stop => ({ kind: 'stop', end })
