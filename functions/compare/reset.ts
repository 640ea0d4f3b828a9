import { isDeepStrictEqual } from 'node:util'
import { keepsFailing } from '../../stored/changes/change-chain.ts'
import type { SetManifest } from '../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../stored/changes/changes-latest.ts'
import { refusal } from '../../stored/join/guard.ts'
import type { Manifest } from '../../stored/snapshots/manifest.ts'
import type { Deletes } from './compare.ts'

/** The snapshot that a comparison is about, and the top-level fields that do not count. */
export interface Subject {
  readonly target: Manifest
  /** Of the target's manifest; undefined if an older release published it. */
  readonly sha256: string | undefined
  readonly ignore: readonly string[]
  /** More deletes than this are refused; 100 if they are accepted. */
  readonly maxDeletePercent: number
}

/** What is stored of the tip when a comparison starts. */
export interface Tip {
  readonly chain: ChangesLatest
  /** The last set; undefined if it is gone. */
  readonly set: SetManifest | undefined
  /** Of its manifest. */
  readonly setSha256: string | undefined
  /** The chain's snapshot; undefined if it is gone. */
  readonly snapshot: Manifest | undefined
}

/** A tip that a snapshot can be compared with. */
export interface ComparedTip extends Tip {
  readonly set: SetManifest
  readonly snapshot: Manifest
}

export type ResetDecision =
  | { readonly kind: 'continue'; readonly tip: ComparedTip }
  | { readonly kind: 'reset'; readonly reason: string }
  | (Deletes & { readonly kind: 'refused'; readonly reason: string; readonly tip: ComparedTip })

/** Whether the chain continues from the tip or starts again at the snapshot, and why. */
export function decideReset(tip: Tip | undefined, subject: Subject): ResetDecision {
  const { target, ignore } = subject
  if (!tip) return reset('It is the first change set of the entity.')
  const { chain, set, snapshot } = tip
  if (chain.reset) return reset(chain.reset)
  if (!set || !snapshot) return reset("The tip's snapshot is gone.")
  if (set.idField !== target.idField) return reset("The entity's idField changed.")
  if (!isDeepStrictEqual(snapshot.query, target.query)) return reset("The entity's query changed.")
  if (!isDeepStrictEqual(set.ignore.toSorted(), ignore.toSorted()))
    return reset('The ignored fields changed.')
  const continues = { kind: 'continue', tip: { ...tip, set, snapshot } } as const
  return keepsFailing(chain) ? resetAfterFailures(continues, subject) : continues
}

/** Without a comparison only the number of ids shows what would be deleted, so that number must be proven. */
function resetAfterFailures(
  continues: Extract<ResetDecision, { kind: 'continue' }>,
  { target, maxDeletePercent }: Subject,
): ResetDecision {
  if (target.proof === 'within-tolerance') return continues
  const { set, snapshot } = continues.tip
  const baseDocuments = set.stateDocuments ?? snapshot.uniqueIds
  const deleted = baseDocuments - target.uniqueIds
  const reason = refusal({ deleted, baseDocuments, maxDeletePercent, target })
  if (reason) return { kind: 'refused', reason, deleted, baseDocuments, tip: continues.tip }
  return reset('Comparisons from the tip kept failing, because of damaged pages or too many changes.')
}

const reset = (reason: string): ResetDecision => ({ kind: 'reset', reason })
