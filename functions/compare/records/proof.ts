import { idSumText } from '../../documents/id-hash.ts'
import type { ChangeCounts, ResetManifest } from '../../state/changes/changes.ts'
import { ComparisonFailed } from '../failure.ts'
import type { JoinCounts } from '../join/join.ts'

/** The state that a set leads to: how many documents it has, and the sum of their id hashes. */
export type State = Pick<ResetManifest, 'stateDocuments' | 'stateIdSum' | 'stateContentSum'>

/** What is known of the state at the tip: nothing after an increment. */
export type KnownState = State | { readonly stateDocuments: null; readonly stateIdSum: null }

/** What was written, counted from the written bytes. Sums are of id hashes. */
export interface Written extends Omit<ChangeCounts, 'baseDocuments' | 'held'> {
  readonly held: number
  readonly createdIdSum: bigint
  readonly deletedIdSum: bigint
  readonly withheldIdSum: bigint
}

/** The state after the set. Throws `ComparisonFailed` if what was written does not lead from one state to the other. */
export function proveChanges(base: KnownState, joined: JoinCounts, written: Written): State {
  const { created, updated, deleted, unchanged, rewritten, withheld, held } = written
  const { baseDocuments, targetDocuments, baseIdSum, targetIdSum } = joined
  const stateDocuments = targetDocuments + withheld
  const stateIdSum = idSumText(targetIdSum + written.withheldIdSum)
  const checks: readonly (readonly [what: string, one: number | string, other: number | string])[] = [
    ['documents of the base and of its manifest', baseDocuments, base.stateDocuments ?? baseDocuments],
    ['ids of the base and of its manifest', idSumText(baseIdSum), base.stateIdSum ?? idSumText(baseIdSum)],
    [
      'documents of the base and their changes',
      baseDocuments,
      unchanged + rewritten + updated + deleted + withheld + held,
    ],
    [
      'documents of the snapshot and their changes',
      targetDocuments,
      unchanged + rewritten + updated + created + held,
    ],
    ['ids before and after', stateIdSum, idSumText(baseIdSum + written.createdIdSum - written.deletedIdSum)],
  ]
  for (const [what, one, other] of checks) {
    if (one !== other)
      throw new ComparisonFailed(
        'other',
        `The change set does not add up: ${what} differ (${one} and ${other}).`,
      )
  }
  return { stateDocuments, stateIdSum }
}
