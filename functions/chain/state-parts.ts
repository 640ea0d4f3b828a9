import { incrementPartsOf, type SetManifest, type WithheldPart } from '../state/changes/changes.ts'
import type { ManifestPage } from '../state/snapshots/manifest.ts'
import type { StoredObject } from './read-pages.ts'

/** An object with documents that readers have. */
export type StatePart = StoredObject & { readonly documents: number } & (
    | { readonly from: 'snapshot' }
    /** Documents that the snapshot lacks, or has in an older version than an increment delivered. */
    | ({ readonly from: 'withheld' } & Pick<WithheldPart, 'countedAbsences' | 'delivered'>)
    /** Records of increments since the snapshot. */
    | { readonly from: 'increment'; readonly holds: 'records' }
  )

/**
 * The state of a chain, which is what readers have who applied it: the documents of these parts in order. Of several
 * with one id the last one counts.
 */
export const stateParts = (snapshot: Snapshot, set: SetManifest): readonly StatePart[] => [
  ...snapshotParts(snapshot),
  ...partsOver(set),
]

interface Snapshot {
  readonly pages: readonly ManifestPage[]
}

export const snapshotParts = ({ pages }: Snapshot): readonly StatePart[] =>
  pages.map((page) => ({ ...page, from: 'snapshot' }))

/** What readers who begin apply over the snapshot of a set. */
export const partsOver = (set: SetManifest): readonly StatePart[] => [
  ...set.withheldParts.map(
    ({ records, ...part }) => ({ ...part, documents: records, from: 'withheld' }) as const,
  ),
  ...incrementPartsOf(set).map(
    ({ records, ...part }) => ({ ...part, documents: records, from: 'increment', holds: 'records' }) as const,
  ),
]
