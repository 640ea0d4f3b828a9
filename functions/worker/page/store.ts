import type { CommittedEnd, CommittedPage, Cursor, EndEvidence, Position } from '../../state/pages/page.ts'
import type { Attempt } from '../../state/pages/page-items.ts'
import { pageKey } from '../../state/snapshots/manifest.ts'
import type { SnapshotStore } from '../../state/snapshots/snapshots.aws.ts'
import type { StateStore } from '../../state/sync-state.ts'
import type { StepContext } from '../context.ts'
import type { PreparedPage } from './prepare.ts'

export type PageStores = Pick<StepContext, 'now' | 'uniqueName'> & {
  readonly state: Pick<StateStore, 'commitPage' | 'commitEnd'>
  readonly snapshots: Pick<SnapshotStore, 'putPage'>
}

export type EntityAttempt = Attempt & { readonly entity: string }

export interface PageToStore {
  readonly page: PreparedPage
  /** The cursor after the response that contained the page. */
  readonly cursor: Cursor
  readonly after: Position
  /** Consecutive pages up to this one that contained only ids that had been received before. */
  readonly repeatedPages: number
}

/**
 * Stores a page, then commits it: from then on it is part of the attempt. Throws `LeaseLost` if another worker
 * committed this page.
 */
export async function storePage(
  { state, snapshots, now, uniqueName }: PageStores,
  attempt: EntityAttempt,
  { page: prepared, cursor, after, repeatedPages }: PageToStore,
): Promise<CommittedPage> {
  const { object, sha256, documents, documentsWithoutId, fingerprints } = prepared
  const page = after.page + 1
  const committed: CommittedPage = {
    ...cursor,
    kind: 'page',
    page,
    key: pageKey(attempt, page, uniqueName()),
    documents,
    documentsWithoutId,
    documentsSoFar: after.documentsSoFar + documents,
    repeatedPages,
    bytes: object.length,
    sha256: sha256.toString('hex'),
    fingerprints,
  }
  await snapshots.putPage(committed.key, object, sha256)
  await state.commitPage(attempt, committed, now())
  return committed
}

export interface EndToStore {
  readonly evidence: EndEvidence
  readonly cursor: Cursor
  readonly after: Position
}

/** Commits that the scroll ended after a position, so that no late worker can add a page. */
export async function storeEnd(
  { state, now, uniqueName }: Pick<PageStores, 'state' | 'now' | 'uniqueName'>,
  attempt: Attempt,
  { cursor, after: { page, documentsSoFar, repeatedPages }, evidence }: EndToStore,
): Promise<CommittedEnd> {
  const end: CommittedEnd = {
    ...cursor,
    kind: 'end',
    page: page + 1,
    id: uniqueName(),
    isConfirmed: evidence !== 'unconfirmed',
    evidence,
    documentsSoFar,
    repeatedPages,
  }
  await state.commitEnd(attempt, end, now())
  return end
}
