import type { ProblemStep } from '../../functions/problems/problem.ts'
import type { ShownProblem } from '../../functions/problems/problems.ts'
import type { Next as NextRun } from '../../operator/text/next-run.ts'
import type { EntityView } from '../../stored/views.ts'
import type { SetRow } from './change-sets.ts'
import type { RunRow } from './run.ts'

export type { NextRun }

/** The age of a published snapshot compared with the limit that the schedule sets. */
export type ShownFreshness =
  | { readonly kind: 'fresh' | 'stale'; readonly ageMs: number; readonly maxAgeMs: number }
  /** The schedule sets no age limit, or there is no schedule. */
  | { readonly kind: 'unscheduled'; readonly ageMs: number }
  | { readonly kind: 'never' }

/** The last change set of an entity. */
export type ChangesRow =
  | { readonly kind: 'off' }
  | { readonly kind: 'none' }
  | {
      readonly kind: 'last'
      readonly set: SetRow
      /** False if the published snapshot has no change set: it is being compared, or was refused or failed. */
      readonly isCurrent: boolean
    }

export interface ProblemRow
  extends Pick<ShownProblem, 'kind' | 'level' | 'entities' | 'since' | 'evidence' | 'action'> {
  /** A command line for this deployment; null where none helps. */
  readonly command: string | null
  /** What the command does; null without one. */
  readonly step: ProblemStep | null
}

export interface EntityRow extends Omit<EntityView, 'pause' | 'runs'> {
  readonly next: NextRun
  readonly freshness: ShownFreshness
  /** Of the published snapshot; null if its run has expired. */
  readonly proof: string | null
  readonly changes: ChangesRow
  /** The last run that has ended and was not skipped. */
  readonly lastRun: RunRow | null
  /** Documents of the last published snapshots, oldest first. */
  readonly trend: readonly number[]
  readonly problems: readonly ProblemRow[]
}

export interface OverviewResponse {
  readonly name: string
  readonly place: string
  readonly now: string
  /** Of all entities and of the deployment, the most urgent first; many of a kind are one. */
  readonly problems: readonly ProblemRow[]
  readonly entities: readonly EntityRow[]
}

export interface EntityResponse {
  readonly row: EntityRow
  /** Oldest first. */
  readonly sets: readonly SetRow[]
  readonly now: string
}
