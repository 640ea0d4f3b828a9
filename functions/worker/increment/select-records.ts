import type { DeliveredById, DeliveredVersion } from '../../../stored/chain/delivered-versions.ts'
import { hashNumber, idHashOf, versionOf } from '../../../stored/chain/delivered-versions.ts'
import { type DocumentDates, datesOf } from '../../../stored/chain/document-dates.ts'
import { PageLines } from '../../../stored/documents/stored-lines.ts'

/** What the rules about an increment's documents need to know. Times are in microseconds. */
export interface SelectionRules {
  readonly idField: string
  readonly ignore: readonly string[]
  /** The window. A document that changed while the window was read may have a later date, up to `latest`. */
  readonly from: number
  readonly to: number
  readonly latest: number
  /** What increments delivered last, by id. */
  readonly delivered: DeliveredById
}

export interface SelectedRecords {
  readonly kind: 'selected'
  /** The lines that become records, by their page. */
  readonly lines: ReadonlyMap<number, ReadonlySet<number>>
  readonly records: number
  /** Of the hashes of their ids and of their contents. */
  readonly idSum: bigint
  readonly contentSum: bigint
  /** Versions that were delivered already. */
  readonly equal: number
  readonly older: number
  readonly withoutId: number
  /** Whether a date lay outside of the window, as with a coarse index or local times: later windows return it too. */
  readonly hasOutside: boolean
  /** What was delivered before and what these records deliver. */
  readonly delivered: DeliveredById
}

/** A document outside of the window shows that the platform ignores the filter. */
export type RecordSelection = SelectedRecords | { readonly kind: 'outside-window'; readonly document: Buffer }

interface Candidate {
  readonly version: DeliveredVersion
  readonly page: number
  readonly line: number
}

/**
 * The documents of a window that readers do not have yet. What the lookback repeats is left out: versions that were
 * delivered already, and older ones. `pages` are the stored lines of each page, in order.
 */
export function selectRecords(
  pages: Iterable<Buffer>,
  { idField, ignore, from, to, latest, delivered }: SelectionRules,
): RecordSelection {
  const ignored = new Set(ignore)
  const field = Buffer.from(idField)
  const newest = new Map<string, Candidate>()
  const withoutId = new Set<string>()
  let page = 0
  let hasOutside = false
  for (const text of pages) {
    let line = 0
    for (const lines = new PageLines(text, field); lines.next(); line++) {
      const document = text.subarray(lines.start, lines.end)
      const dates = datesOf(document)
      if (!isNearWindow(dates, { from, latest })) return { kind: 'outside-window', document }
      hasOutside ||= !isInWindow(dates, { from, latest })
      const id = idHashOf(lines.identity())
      if (!lines.hasId) {
        withoutId.add(id)
        continue
      }
      const version = versionOf(document, dates, { ignored, deliveredAt: to })
      const known = newest.get(id)
      // Of several versions in one scroll the newest counts, and of equally new ones the last.
      if (!known || version.date >= known.version.date) newest.set(id, { version, page, line })
    }
    page++
  }
  const lines = new Map<number, Set<number>>()
  const after = new Map(delivered)
  let records = 0
  let idSum = 0n
  let contentSum = 0n
  let equal = 0
  let older = 0
  for (const [id, { version, page, line }] of newest) {
    const before = delivered.get(id)
    if (before?.content === version.content) {
      equal++
      continue
    }
    if (before && version.date < before.date) {
      older++
      continue
    }
    after.set(id, version)
    records++
    idSum += hashNumber(id)
    contentSum += hashNumber(version.content)
    const ofPage = lines.get(page) ?? new Set()
    lines.set(page, ofPage.add(line))
  }
  const counts = { records, equal, older, withoutId: withoutId.size }
  return { kind: 'selected', lines, ...counts, idSum, contentSum, hasOutside, delivered: after }
}

type Limits = Pick<SelectionRules, 'from' | 'latest'>

const isInWindow = ({ createdIn, updatedIn }: DocumentDates, { from, latest }: Limits): boolean =>
  [createdIn, updatedIn].some((date) => date !== undefined && date >= from && date <= latest)

/** Indexes are as coarse as a day, and local times are up to 14 hours off. Further away, the filter was ignored. */
export const nearUs = 2 * 24 * 3_600_000_000

/** Whether one of a document's dates is near the window. Without one the platform has ignored the filter. */
export const isNearWindow = (dates: DocumentDates, { from, latest }: Limits): boolean =>
  isInWindow(dates, { from: from - nearUs, latest: latest + nearUs })
