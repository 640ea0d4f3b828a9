import { createHash } from 'node:crypto'
import type { Compressed } from '../../documents/gzip.ts'
import { splitPageInPlace } from '../../documents/split.ts'
import { pageKey } from '../../state/manifest.ts'
import type { CommittedPage, Position } from '../../state/page.ts'
import type { Run } from '../../state/run.ts'
import type { SnapshotStore } from '../../state/snapshots.aws.ts'
import type { StateStore } from '../../state/sync-state.aws.ts'
import type { StepContext } from '../context.ts'
import type { Cursor } from '../scroll/loop.ts'

export interface PageStores {
  readonly state: StateStore
  readonly snapshots: SnapshotStore
  readonly now: () => number
  /** Something that nobody else will ever name an object by. */
  readonly uniqueName: () => string
}

/** A page as its object will be. */
export interface PreparedPage {
  readonly object: Compressed
  readonly sha256: Buffer
  readonly documents: number
  readonly fingerprints: Buffer
}

/** Splits and compresses (to gzip) a page, which nothing else has to wait for. Throws `MalformedPage`. */
export async function preparePage(
  body: Buffer,
  { idField, compress, sleep }: Pick<StepContext, 'compress' | 'sleep'> & { idField: string },
): Promise<PreparedPage> {
  // The request for the next page goes out first. Splitting on the next tick would hold up whoever has to carry it on
  // this processor for 2.5 ms: 0.7 ms a page on two processors.
  await sleep(1)
  const { lines, documents, fingerprints } = splitPageInPlace(body, idField)
  const object = await compress(lines)
  return { object, sha256: createHash('sha256').update(object.bytes).digest(), documents, fingerprints }
}

/**
 * Stores a page, then commits it: from then on it is part of the attempt. Throws `LeaseLost` if another worker
 * committed this page.
 */
export async function storePage(
  { state, snapshots, now, uniqueName }: PageStores,
  run: Run,
  { page, cursor, after }: { page: PreparedPage; cursor: Cursor; after: Position },
): Promise<CommittedPage> {
  const { object, sha256, documents, fingerprints } = page
  const committed: CommittedPage = {
    ...cursor,
    page: after.page + 1,
    key: pageKey(run, after.page + 1, uniqueName()),
    documents,
    documentsSoFar: after.documentsSoFar + documents,
    bytes: object.bytes.length,
    sha256: sha256.toString('hex'),
    fingerprints,
    end: false,
  }
  await snapshots.putPage(committed.key, object.bytes, sha256)
  object.release()
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
    // Two workers may both come to an end, and it is not the same one.
    key: `end-${stores.uniqueName()}`,
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
