import { createHash } from 'node:crypto'
import { type SplitPage, splitPageInPlace } from '../../../stored/documents/split.ts'
import type {
  CommittedEnd,
  CommittedPage,
  Cursor,
  EndEvidence,
  Position,
  Received,
} from '../../../stored/pages/page.ts'
import type { AttemptId } from '../../../stored/pages/page-partition.ts'
import { pageKey } from '../../../stored/snapshots/manifest.ts'
import type { SnapshotStore } from '../../../stored/snapshots/snapshots.aws.ts'
import type { StateStore } from '../../../stored/sync-state.ts'
import { freeMemory } from '../../runtime/free-memory.ts'
import { pick } from '../../runtime/pick.ts'
import type { StepContext } from '../context.ts'

export type PageStores = Pick<StepContext, 'now' | 'uniqueName'> & {
  readonly state: Pick<StateStore, 'commitPage' | 'commitEnd'>
  readonly snapshots: Pick<SnapshotStore, 'putPage'>
}

export type EntityAttempt = AttemptId & { readonly entity: string }

/** What is recorded with a page or an end. */
export interface RecordedPage extends Received {
  /** SHA-256 (hex) of the last body. */
  readonly bodySha256: string
}

export interface PageToStore {
  readonly page: PreparedPage
  /** The cursor after the response that contained the page. */
  readonly cursor: Cursor
  readonly after: Position
  /** Consecutive pages up to this one that contained only ids that had been received before. */
  readonly repeatedPages: number
  readonly received: RecordedPage
}

/** Stores a page, then commits it to the attempt. Throws `LeaseLost` if another worker committed this page. */
export async function storePage(
  { state, snapshots, now, uniqueName }: PageStores,
  attempt: EntityAttempt,
  { page: prepared, cursor, after, repeatedPages, received }: PageToStore,
): Promise<CommittedPage> {
  const { object, sha256, documents, documentsWithoutId } = prepared
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
    received: { ...ofPage(received), ...pick(prepared, 'spaceBytes', 'replacesLineBreaks') },
  }
  await snapshots.putPage(committed.key, object, sha256)
  await state.commitPage(attempt, committed, now())
  return committed
}

/** The response that brought the page needs no details. */
function ofPage({ exchanges, ...received }: RecordedPage): RecordedPage {
  const last = exchanges.at(-1)
  if (!last || !('status' in last)) return { ...received, exchanges }
  const { details: _, ...response } = last
  return { ...received, exchanges: [...exchanges.slice(0, -1), response] }
}

export interface EndToStore {
  readonly received: RecordedPage
  readonly evidence: EndEvidence
  readonly cursor: Cursor
  readonly after: Position
}

/** Commits that the scroll ended after a position, so that no late worker can add a page. */
export async function storeEnd(
  { state, now, uniqueName }: Pick<PageStores, 'state' | 'now' | 'uniqueName'>,
  attempt: AttemptId,
  { cursor, after: { page, documentsSoFar, repeatedPages }, evidence, received }: EndToStore,
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
    received: pick(received, 'request', 'exchanges', 'searched'),
  }
  await state.commitEnd(attempt, end, now())
  return end
}

/** A page whose object is ready to be stored. */
export interface PreparedPage extends Omit<SplitPage, 'lines'> {
  readonly object: Buffer
  readonly sha256: Buffer
}

/** The interface allows 1,000 (section 8). A platform that sends more than this has ignored `_size`. */
const maxDocuments = 45_000

export class TooManyDocuments extends Error {
  override readonly name = 'TooManyDocuments'

  constructor(documents: number) {
    super(`${documents} documents, and at most ${maxDocuments} can be stored`)
  }
}

/** Splits and compresses a page, and frees the memory of `body`. Throws `MalformedPage` and `TooManyDocuments`. */
export async function preparePage(
  body: Buffer,
  { idField, compress, sleep }: Pick<StepContext, 'compress' | 'sleep'> & { readonly idField: string },
): Promise<PreparedPage> {
  // The request for the next page goes out first, since splitting blocks the event loop.
  await sleep(1)
  const { lines, ...split } = splitPageInPlace(body, idField)
  if (split.documents > maxDocuments) throw new TooManyDocuments(split.documents)
  const object = await compress(lines)
  freeMemory(body)
  const sha256 = createHash('sha256').update(object).digest()
  return { ...split, object, sha256 }
}
