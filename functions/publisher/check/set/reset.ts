import { isDeepStrictEqual } from 'node:util'
import type { SetManifest } from '../../../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../../../stored/changes/changes-latest.ts'
import type { Manifest } from '../../../../stored/snapshots/manifest.ts'
import { dayMs } from '../../../runtime/durations.ts'

/** What is stored at the end of a chain. Set and snapshot are undefined if they are gone. */
export interface StoredTip {
  readonly chain: ChangesLatest
  readonly set: SetManifest | undefined
  readonly snapshot: Manifest | undefined
}

export type ComparableTip = { readonly [Key in keyof StoredTip]: NonNullable<StoredTip[Key]> }

/** Whether a chain continues with the next snapshot or starts again, and why. A guard decides about some resets. */
export function continuationOf(
  tip: StoredTip | undefined,
  { target, ignore }: { readonly target: Manifest; readonly ignore: readonly string[] },
) {
  const reset = (reason: string) => ({ kind: 'reset', reason }) as const
  if (!tip) return reset('It is the first change set of the entity.')
  const { chain, set, snapshot } = tip
  if (chain.reset !== null) return reset(chain.reset)
  if (!set || !snapshot) return reset("The tip's snapshot is gone.")
  if (set.idField !== target.idField) return reset("The entity's idField changed.")
  if (!isDeepStrictEqual(snapshot.query, target.query)) return reset("The entity's query changed.")
  if (!isDeepStrictEqual(set.ignore.toSorted(), ignore.toSorted()))
    return reset('The ignored fields changed.')
  const { failures: past } = chain
  const keepsFailing = past && past.count >= 3 && Date.parse(past.last) - Date.parse(past.first) >= dayMs
  // Without a comparison only the number of ids shows what is deleted, so it must be proven.
  if (!keepsFailing || target.proof === 'within-tolerance')
    return { kind: 'changes', tip: { chain, set, snapshot } } as const
  return {
    kind: 'guarded-reset',
    reason: 'Comparisons from the tip kept failing, because of damaged pages or too many changes.',
    baseDocuments: set.stateDocuments ?? snapshot.uniqueIds,
  } as const
}
