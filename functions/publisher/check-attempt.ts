import { Buffer } from 'node:buffer'
import type { RangeState } from '../../stored/run/range.ts'
import type { FullRun } from '../../stored/run/run.ts'
import { runPrefix } from '../../stored/snapshots/manifest.ts'
import { pick } from '../runtime/pick.ts'
import type { AttemptItems, UnknownOutcome } from './check/attempt.ts'
import { openingTotal, orderedItems, unknownOutcomes } from './check/attempt.ts'
import { type Count, countPages } from './check/count.ts'
import { Damaged } from './check/damage.ts'
import { type End, readEnd } from './check/end.ts'
import { attemptName, checkKey, entryBytes } from './check/entries.ts'
import { maxUnknown, type RangeEvidence } from './check/evidence.ts'
import type { ListedPage } from './check/page.ts'
import { type Attempt, decideProof, type ProofDecision, type Total } from './check/proof.ts'
import { requestError } from './check/ranges.ts'
import { checkChunks, pagesOf, type StoredChunk } from './chunks.ts'
import type { ListedObject, Publisher } from './ports.ts'

export interface RangeToCheck {
  readonly run: FullRun
  /** Undefined without partitions. */
  readonly index: number | undefined
  readonly range: RangeState
  /** The filter that the boundaries define; undefined without partitions. */
  readonly where: string | undefined
  /** The objects of the run as they are now. */
  readonly stored: ReadonlyMap<string, ListedObject>
}

export interface CheckedAttempt extends Attempt {
  readonly chunks: readonly StoredChunk[]
  readonly count: Count<ListedPage>
  /** As `evidence.json` has it, without the proof and what it was compared with. */
  readonly evidence: Omit<RangeEvidence, 'publishedIds' | 'proof' | 'earlier'>
  /** Epoch milliseconds. */
  readonly openedAt: number
  readonly pageSize: number
}

/** Checks and counts an attempt whose scroll has ended. Throws `Damaged` and `Unfinished`. */
export async function checkAttempt(
  publisher: Publisher,
  { run, index, range, where, stored }: RangeToCheck,
  attempt = range.attempt,
): Promise<CheckedAttempt> {
  const { entity, runId, plan } = run
  const name = { runId, attempt, ...(index !== undefined && { range: index }) }
  const items = orderedItems(await publisher.items.readAttempt(name), {
    folder: runPrefix(entity, runId),
    range: index,
    attempt,
  })
  checkRequest(run, items, where)
  const chunks = await checkChunks(publisher, {
    keyOf: (first) =>
      checkKey(runPrefix(entity, runId), attemptName(index === undefined ? '' : `r${index}`, attempt), first),
    pages: items.pages.map(({ key, documents, bytes, sha256, received }) => ({
      page: { key, documents, bytes, sha256 },
      received: received && { ...received, bodyBytes: bodyBytesOf(received) },
    })),
    idField: plan.idField,
    stored,
  })
  const documents = items.pages.reduce((sum, page) => sum + page.documents, 0)
  const count = await countPages(() => pagesOf(publisher, chunks), documents)
  return attemptOf({ run, range, items, attempt, where }, { chunks, count })
}

function bodyBytesOf({ exchanges }: NonNullable<AttemptItems['pages'][number]['received']>): number {
  const last = exchanges.at(-1)
  return last && 'status' in last ? last.bodyBytes : 0
}

/** What the request that opened the scroll must have been. */
function checkRequest(
  { entity, plan }: FullRun,
  { pages, end }: AttemptItems,
  where: string | undefined,
): void {
  const target = (pages[0] ?? end).received?.request
  if (target === undefined) return
  const error = requestError({ target, entity, query: plan.query, where })
  if (error !== undefined) throw new Damaged(`The scroll was opened with another request: ${error}.`)
}

interface EndedAttempt {
  readonly run: FullRun
  readonly range: RangeState
  readonly items: AttemptItems
  readonly attempt: number
  readonly where: string | undefined
}

function attemptOf(
  { run, range, items, attempt, where }: EndedAttempt,
  { chunks, count }: Pick<CheckedAttempt, 'chunks' | 'count'>,
): CheckedAttempt {
  const { uniqueIds, largestPage, documents } = count
  const { text, total } = expectedTotal(run, range, items)
  const first = items.pages[0] ?? items.end
  const isEmptyRange = where !== undefined && items.pages.length === 0 && items.end.token === undefined
  const { end, unknown: beforeEnd } = endOf({ items, count, total, chunks, isEmptyRange })
  const unknown = [...unknownOutcomes(items), ...beforeEnd]
  // A crash is in no item. The run has the counts of its earlier attempts that were clean.
  const isMarked = attempt === range.attempt ? range.suspect : !range.cleanCounts.includes(uniqueIds)
  const suspect = unknown.length > 0 || isMarked
  const openedAt = first.received?.exchanges.at(-1)?.at ?? first.openedAt
  return {
    uniqueIds,
    total,
    largestPage,
    suspect,
    end,
    chunks,
    count,
    openedAt,
    pageSize: items.end.pageSize,
    evidence: {
      where: where ?? null,
      attempt,
      openedAt: new Date(openedAt).toISOString(),
      total: text,
      documents,
      uniqueIds,
      largestPage,
      suspect,
      unknown: unknown.slice(0, maxUnknown),
      end: end === 'capped' ? 'refused' : end,
    },
  }
}

/** The total that the scroll reported. Where a range's scroll reports none, the searches at its opening stand for it. */
function expectedTotal(
  { plan }: FullRun,
  { filter }: RangeState,
  items: AttemptItems,
): { readonly text: string | null; readonly total: Total } {
  const opening = openingTotal(items)
  if (plan.totals === 'ignore') return { ...opening, total: undefined }
  const searched = (items.pages[0] ?? items.end).received?.searched?.at(-1)
  return opening.total === undefined && filter && searched !== undefined
    ? { text: null, total: searched }
    : opening
}

function endOf({
  items: { pages, end },
  count,
  total,
  chunks,
  isEmptyRange,
}: Pick<EndedAttempt, 'items'> &
  Pick<CheckedAttempt, 'count' | 'total' | 'chunks'> & { readonly isEmptyRange: boolean }): {
  readonly end: End
  readonly unknown: readonly UnknownOutcome[]
} {
  if (!end.received) return { end: end.isConfirmed ? 'confirmed' : 'unconfirmed', unknown: [] }
  const read = readEnd({
    ...pick(count, 'uniqueIds', 'largestPage', 'largestPages'),
    total: typeof total === 'number' ? total : undefined,
    exchanges: end.received.exchanges,
    pages: pages.length,
    isEmptyRange,
    repeatsFirstPage: (ids) => repeats(ids, firstPageIds(chunks)),
  })
  const unknown = read.unknown.map(({ at, what }) => ({
    page: end.page,
    at: new Date(at === 0 ? end.respondedAt : at).toISOString(),
    what,
  }))
  return { end: read.end, unknown }
}

const idBytes = 8

function firstPageIds([chunk]: readonly StoredChunk[]): ReadonlySet<string> {
  const [first] = chunk?.pages ?? []
  const entries = chunk?.entries ?? Buffer.alloc(0)
  return new Set(
    Array.from({ length: first?.page.documents ?? 0 }, (_, index) =>
      entries.toString('hex', index * entryBytes, index * entryBytes + idBytes),
    ),
  )
}

/** Documents may have changed places since the first page was sent. */
const repeats = (ids: readonly string[], first: ReadonlySet<string>) =>
  2 * ids.filter((id) => first.has(id)).length > ids.length

/** Decides whether an attempt is complete. Earlier ones are counted only where they matter. */
export async function decideRange(
  publisher: Publisher,
  toCheck: RangeToCheck,
  { checked, publishedIds }: { readonly checked: CheckedAttempt; readonly publishedIds: number | null },
): Promise<{ readonly decision: ProofDecision; readonly earlier: RangeEvidence['earlier'] }> {
  const { run, range } = toCheck
  const rules = { tolerancePercent: run.plan.totalTolerancePercent, publishedIds }
  const alone = decideProof(checked, { ...rules, earlier: [] })
  if (alone.kind === 'proven' || checked.suspect || range.attempt === 1)
    return { decision: alone, earlier: [] }
  const earlier: RangeEvidence['earlier'][number][] = []
  for (let attempt = 1; attempt < range.attempt; attempt++) {
    const ended = await checkEarlier(publisher, toCheck, attempt)
    if (ended) earlier.push({ attempt, uniqueIds: ended.uniqueIds, suspect: ended.suspect })
  }
  return { decision: decideProof(checked, { ...rules, earlier }), earlier }
}

/** An earlier attempt counts if its scroll ended, and if its pages are still those that were committed. */
async function checkEarlier(publisher: Publisher, toCheck: RangeToCheck, attempt: number) {
  try {
    return await checkAttempt(publisher, toCheck, attempt)
  } catch (error) {
    if (error instanceof Damaged) return undefined
    throw error
  }
}
