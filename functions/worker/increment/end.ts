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

/** The increment ends before its next step, and publishes nothing. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
  readonly end: UnpublishedEnd

  constructor(end: UnpublishedEnd) {
    super(end.reason)
    this.end = end
  }
}

export const failed = (reason: string) => new Stopped({ status: 'failed', reason })
export const skipped = (code: SkipCode, reason: string) => new Stopped({ status: 'skipped', code, reason })
