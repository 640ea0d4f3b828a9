import { type AttemptId, oldPagePartition, pagePartition } from '../../stored/pages/page-partition.ts'
import type { RangeState } from '../../stored/run/range.ts'
import type { FullRun } from '../../stored/run/run.ts'
import { runPrefix } from '../../stored/snapshots/manifest.ts'
import { pick } from '../runtime/pick.ts'
import { openingTotal, orderedItems } from './check/attempt.ts'
import { countPages } from './check/count.ts'
import { Damaged } from './check/damage.ts'
import { readEnd } from './check/end.ts'
import { attemptName, entryBytes } from './check/entries.ts'
import { maxUnknown, type RangeEvidence } from './check/evidence.ts'
import { requestError, sumOf } from './check/ranges.ts'
import { checkChunks, pagesOf, type StoredChunk, type StoredObjects } from './chunks.ts'
import type { Publisher } from './ports.ts'

export interface RangeToCheck {
  readonly run: FullRun
  /** Undefined without partitions. */
  readonly index: number | undefined
  readonly range: RangeState
  /** The filter that the boundaries define; undefined without partitions. */
  readonly where: string | undefined
  readonly stored: StoredObjects
}

export type CheckedAttempt = Awaited<ReturnType<typeof checkAttempt>>

/** Checks and counts an attempt whose scroll has ended. Throws `Damaged` and `Unfinished`. */
export async function checkAttempt(
  publisher: Publisher,
  { run, index, range, where, stored }: RangeToCheck,
  attempt = range.attempt,
) {
  const { entity, runId, plan } = run
  const name = { runId, attempt, ...(index !== undefined && { range: index }) }
  const folder = runPrefix(entity, runId)
  const items = orderedItems(await readAttempt(publisher, name), name, folder)
  const first = items.pages[0] ?? items.end
  const target = first.received?.request
  const error = target === undefined ? undefined : requestError({ target, entity, query: plan.query, where })
  if (error !== undefined) throw new Damaged(`The scroll was opened with another request: ${error}.`)
  const chunks = await checkChunks(publisher, {
    folder,
    name: attemptName(index === undefined ? '' : `r${index}`, attempt),
    pages: items.pages.map(({ key, documents, bytes, sha256, received }) => ({
      page: { key, documents, bytes, sha256 },
      received,
    })),
    idField: plan.idField,
    stored,
  })
  const count = await countPages(
    () => pagesOf(publisher, chunks),
    sumOf(items.pages.map((page) => page.documents)),
  )
  const { uniqueIds, largestPage, documents } = count
  const { text, total: reported } = openingTotal(items)
  // Where a range's scroll reports no total, the searches at its opening stand for it.
  const searched = range.filter && first.received?.searched?.at(-1)
  const total = plan.totals === 'ignore' ? undefined : (reported ?? searched)
  const { end, unknown } = readEnd({
    ...items,
    ...pick(count, 'uniqueIds', 'largestPage', 'largestPages'),
    total,
    isOfRange: where !== undefined,
    repeatsFirstPage: (ids) => repeatsFirstPage(chunks, ids),
  })
  // A crash is in no item. The run has the counts of its earlier attempts that were clean.
  const isMarked = attempt === range.attempt ? range.suspect : !range.cleanCounts.includes(uniqueIds)
  const suspect = unknown.length > 0 || isMarked
  const openedAt = first.received?.exchanges.at(-1)?.at ?? first.openedAt
  const counted = { uniqueIds, largestPage, suspect }
  return {
    ...counted,
    total,
    end,
    chunks,
    count,
    /** Epoch milliseconds. */
    openedAt,
    pageSize: items.end.pageSize,
    /** As `evidence.json` has it, without the proof and what it was compared with. */
    evidence: {
      where: where ?? null,
      attempt,
      openedAt: new Date(openedAt).toISOString(),
      total: text,
      documents,
      ...counted,
      unknown: unknown.slice(0, maxUnknown),
      end: end === 'capped' ? 'refused' : end,
    } satisfies Omit<RangeEvidence, 'publishedIds' | 'proof' | 'earlier'>,
  }
}

/** Only what 1.0.0 began may lack what was recorded. */
async function readAttempt({ items }: Publisher, attempt: AttemptId) {
  const partition = pagePartition(attempt)
  const found = await items.readPages(partition)
  for (const { page, received } of found)
    if (!received) throw new Damaged(`Item ${page} of ${partition} has no recorded response.`)
  return found.length > 0 ? found : items.readPages(oldPagePartition(attempt))
}

const idBytes = 8

/** Whether these are the ids of the first page, whose documents may have changed places since it was sent. */
function repeatsFirstPage([chunk]: readonly StoredChunk[], ids: readonly string[]): boolean {
  const [first] = chunk?.pages ?? []
  const entries = chunk?.entries ?? Buffer.alloc(0)
  const known = new Set(
    Array.from({ length: first?.page.documents ?? 0 }, (_, index) =>
      entries.toString('hex', index * entryBytes, index * entryBytes + idBytes),
    ),
  )
  return 2 * ids.filter((id) => known.has(id)).length > ids.length
}

/** The earlier attempts whose scroll ended, and whose pages are still those that were committed. */
export async function earlierAttempts(
  publisher: Publisher,
  toCheck: RangeToCheck,
): Promise<RangeEvidence['earlier']> {
  const earlier: RangeEvidence['earlier'][number][] = []
  for (let attempt = 1; attempt < toCheck.range.attempt; attempt++)
    try {
      const { uniqueIds, suspect } = await checkAttempt(publisher, toCheck, attempt)
      earlier.push({ attempt, uniqueIds, suspect })
    } catch (error) {
      if (!(error instanceof Damaged)) throw error
    }
  return earlier
}
