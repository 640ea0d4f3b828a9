import type { ChangesManifest, RefusedChanges } from '../../../stored/changes/changes.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import type { ComparableTip } from '../check/set/reset.ts'
import type { IncrementRules } from '../check/set/window.ts'

/** What a person reviewed and accepted before the comparison: the set that was refused, or the refused snapshot. */
export type Reviewed =
  | { readonly kind: 'set'; readonly refused: RefusedChanges }
  | { readonly kind: 'snapshot' }

/** What the publisher knows of an entity's sets by itself: the deployment's settings, and whether deletes are accepted. */
export interface SetRules {
  readonly idField: string
  readonly query: Manifest['query']
  readonly ignore: readonly string[]
  /** Infinite if the deletes are accepted. */
  readonly maxDeletePercent: number
  /** Undefined without increments. */
  readonly increments: Omit<IncrementRules, 'query' | 'idField' | 'ignore'> | undefined
}

export interface ChangesToCheck {
  readonly tip: ComparableTip
  readonly target: Manifest
  readonly proposal: ChangesManifest
  readonly rules: SetRules
  readonly reviewed: Reviewed | undefined
}
