import type { Manifest } from '../../../../stored/snapshots/manifest.ts'
import { countedIdentity, hasId } from '../../platform/documents.ts'
import type { Lie } from '../../platform/lies.ts'
import type { ScrollRecord } from '../../platform/platform-model.ts'

/** Lies with which a scroll does not send what it should. */
const lossy: readonly Lie[] = ['skip-page', 'lost-end', 'drop-document', 'live', 'foreign-token']

export const isLossy = ({ lies }: ScrollRecord): boolean => lossy.some((lie) => lies.has(lie))

/** What a snapshot lacks of its scroll or has in excess, unless no client could know. */
export function incompleteness(
  counts: ReadonlyMap<number, number>,
  scroll: ScrollRecord,
  idField: string,
): string | undefined {
  const { documents, lies, sent, reported } = scroll
  const honest = countEach(documents)
  // A page that repeats one that lacked a document has something new, and a page with a document without an id is
  // never a repeat: both stay.
  const repeats = lies.has('repeat-page') || lies.has('endless')
  const keepsRepeats = () => lies.has('drop-document') || documents.some((index) => !hasId(index, idField))
  const overlaps = lies.has('duplicate-document') || lies.has('live') || (repeats && keepsRepeats())
  for (const [index, times] of counts) {
    if (!honest.has(index) && !sent.has(index))
      return `holds the document ${index}, which its scroll did not have`
    const allowed = overlaps ? sent.get(index) : honest.get(index)
    if (times > (allowed ?? 0)) return `holds the document ${index} ${times} times, not ${allowed}`
  }
  const missing = [...honest].filter(([index, times]) => (counts.get(index) ?? 0) < times)
  // No end comes too early without a total. A token that has expired confirms an end (CONTRACT: the scroll, rule 4).
  const endedEarly = lies.has('early-end-confirmed') || (lies.has('early-end') && reported === undefined)
  if (missing.length === 0 || endedEarly || isLossy(scroll)) return undefined
  // A total that is too low hides a loss.
  const ids = new Set([...counts.keys()].map((index) => countedIdentity(index, idField))).size
  if (reported !== undefined && reported !== documents.length && reported <= ids) return undefined
  return `lacks ${missing.length} of ${documents.length} documents, for example ${missing[0]?.[0]}`
}

export const withConfirmedEnd = (scroll: ScrollRecord): ScrollRecord => ({
  ...scroll,
  lies: new Set([...scroll.lies, 'early-end-confirmed']),
})

export const withOverlaps = (scroll: ScrollRecord): ScrollRecord => ({
  ...scroll,
  lies: new Set([...scroll.lies, 'live']),
})

/**
 * The scrolls of ranges as one. A document on a boundary belongs to both of its neighbors, and may occur twice. One
 * that moved from range to range as another version must be there as at least one of its versions.
 */
export function together(
  scrolls: readonly ScrollRecord[],
  { counts, idField }: { readonly counts: ReadonlyMap<number, number>; readonly idField: string },
): ScrollRecord {
  const idsOf = (documents: readonly number[]) =>
    new Set(documents.filter((index) => counts.has(index)).map((index) => countedIdentity(index, idField)))
  const held = scrolls.map(({ documents }) => idsOf(documents))
  const isHeldElsewhere = (index: number, range: number) =>
    held.some((ids, other) => other !== range && ids.has(countedIdentity(index, idField)))
  const expected = scrolls.flatMap(({ documents }, range) =>
    documents.filter((index) => counts.has(index) || !isHeldElsewhere(index, range)),
  )
  const documents = [...new Set(expected)]
  const one = merged(scrolls)
  return { ...one, documents, reported: undefined, lies: new Set([...one.lies, 'duplicate-document']) }
}

/** Several scrolls as one, after the platform gave a client the token of another scroll. */
export function merged(scrolls: readonly ScrollRecord[]): ScrollRecord {
  const sent = new Map<number, number>()
  for (const scroll of scrolls)
    for (const [index, times] of scroll.sent) sent.set(index, (sent.get(index) ?? 0) + times)
  const lies = new Set(scrolls.flatMap((scroll) => [...scroll.lies]))
  return { ...(scrolls[0] as ScrollRecord), sent, lies }
}

export function countEach(indexes: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const index of indexes) counts.set(index, (counts.get(index) ?? 0) + 1)
  return counts
}

export function totalProblem({ reportedTotal }: Manifest, { reported }: ScrollRecord): string | undefined {
  return reportedTotal === (reported ?? null)
    ? undefined
    : `claims that the platform reported ${reportedTotal}`
}
