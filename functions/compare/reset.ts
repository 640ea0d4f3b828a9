import { isDeepStrictEqual } from 'node:util'
import type { ChangesLatest, SetManifest } from '../state/changes/changes.ts'
import type { Manifest } from '../state/snapshots/manifest.ts'

/** The snapshot that a comparison is about, and the top-level fields that do not count. */
export interface Subject {
  readonly target: Manifest
  readonly ignore: readonly string[]
}

/** What is stored of the tip when a comparison starts. */
export interface Tip {
  readonly chain: ChangesLatest
  /** The last set; undefined if it is gone. */
  readonly set: SetManifest | undefined
  /** The snapshot that it ends at; undefined if it is gone. */
  readonly snapshot: Manifest | undefined
}

/** A tip that a snapshot can be compared with. */
export interface ComparableTip {
  readonly set: SetManifest
  readonly snapshot: Manifest
}

export type ResetDecision =
  | { readonly kind: 'continue'; readonly tip: ComparableTip }
  | { readonly kind: 'reset'; readonly reason: string }

/** Whether the chain continues from the tip or starts again at the snapshot, and why. */
export function decideReset(tip: Tip | undefined, { target, ignore }: Subject): ResetDecision {
  if (!tip) return reset('It is the first change set of the entity.')
  const { chain, set, snapshot } = tip
  if (chain.off) return reset('Change sets were turned off.')
  if (!set || !snapshot) return reset("The tip's snapshot is gone.")
  if (set.idField !== target.idField) return reset("The entity's idField changed.")
  if (!isDeepStrictEqual(snapshot.query, target.query)) return reset("The entity's query changed.")
  if (!isDeepStrictEqual(set.ignore.toSorted(), ignore.toSorted()))
    return reset('The ignored fields changed.')
  return { kind: 'continue', tip: { set, snapshot } }
}

const reset = (reason: string): ResetDecision => ({ kind: 'reset', reason })
