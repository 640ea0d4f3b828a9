import { type PageSource, readPages } from '../../../stored/chain/read-pages.ts'
import { addReviewed } from '../../../stored/chain/reviewed-ids.ts'
import type { ChangePart } from '../../../stored/changes/changes.ts'
import { FingerprintSet } from '../../../stored/documents/fingerprint-set.ts'
import type { SnapshotIds } from './snapshot-ids.ts'

/** What a person reviewed and accepted. */
export type Reviewed = ReviewedSet | ReviewedSnapshot

export interface ReviewedSet {
  readonly kind: 'set'
  /** The documents that the refused set would have deleted. The accepted one deletes no others. */
  readonly ids: FingerprintSet
}

/** The review of a refused snapshot shows the documents of the chain's snapshot that it lacks, and no others. */
export interface ReviewedSnapshot {
  readonly kind: 'snapshot'
  /** The ids of the chain's snapshot. */
  readonly ids: Pick<SnapshotIds, 'has'>
}

export async function readReviewedIds(
  source: PageSource,
  parts: readonly ChangePart[],
): Promise<FingerprintSet> {
  const ids = new FingerprintSet(parts.reduce((sum, { records }) => sum + records, 0))
  for await (const { text } of readPages(source, parts, [...parts.keys()])) addReviewed(ids, text)
  return ids
}
