import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { pageKey } from './manifest.ts'
import type { CommittedPage, Position } from './page.ts'
import type { Run } from './run.ts'
import type { Cursor } from './scroll.ts'
import type { SnapshotStore } from './snapshot-store.ts'
import { splitPage } from './split-page.ts'
import type { StateStore } from './state-store.ts'

export interface PageStores {
  readonly state: StateStore
  readonly snapshots: SnapshotStore
  readonly now: () => number
  /** To gzip. */
  readonly compress: (bytes: Buffer) => Promise<Buffer>
  /** Something that nobody else will ever name an object by. */
  readonly uniqueName: () => string
}

/**
 * Splits, compresses and stores a page, then commits it: from then on it is part of the attempt.
 * Throws `MalformedPage` before anything is stored, `Displaced` if another worker committed this page.
 */
export async function storePage(
  { state, snapshots, now, compress, uniqueName }: PageStores,
  run: Run,
  page: { body: Buffer; cursor: Cursor; after: Position; idField: string },
): Promise<Position> {
  // The request for the next page is written on the next tick; splitting at once would hold it up.
  await setImmediate()
  const { body, cursor, after } = page
  const split = splitPage(body, page.idField)
  const object = await compress(split.lines)
  const sha256 = createHash('sha256').update(object).digest()
  const committed: CommittedPage = {
    ...cursor,
    page: after.page + 1,
    key: pageKey(run, after.page + 1, uniqueName()),
    documents: split.documents,
    documentsSoFar: after.documentsSoFar + split.documents,
    bytes: object.length,
    sha256: sha256.toString('hex'),
    fingerprints: split.fingerprints,
    end: false,
  }
  await snapshots.putPage(committed.key, object, sha256)
  await state.commitPage(run, committed, now())
  return committed
}

/** Commits that the scroll came to its end here, so that no late worker can add a page. */
export async function storeEnd(
  stores: PageStores,
  run: Run,
  at: { cursor: Cursor; after: Position },
): Promise<Position> {
  const end: CommittedPage = {
    ...at.cursor,
    page: at.after.page + 1,
    key: 'end',
    documents: 0,
    documentsSoFar: at.after.documentsSoFar,
    bytes: 0,
    sha256: 'end',
    fingerprints: Buffer.alloc(0),
    end: true,
  }
  await stores.state.commitPage(run, end, stores.now())
  return end
}
