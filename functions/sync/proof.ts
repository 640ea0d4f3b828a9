import type { ManifestPage } from './manifest.ts'
import type { CommittedPage } from './page.ts'
import { UniqueCount } from './unique-count.ts'

export type Proof = 'exact' | 'within-tolerance' | 'no-total'

export interface Tally {
  /** Lines in the pages that stay. */
  readonly documents: number
  readonly uniqueIds: number
  readonly pages: readonly ManifestPage[]
}

/** Counts an attempt's pages in their order. A page whose ids were all seen before is a repeat and is left out. */
export class PageTally implements Disposable {
  readonly #ids = new UniqueCount()
  readonly #pages: ManifestPage[] = []

  add({ key, documents, bytes, sha256, fingerprints }: CommittedPage): void {
    this.#ids.addPage(fingerprints)
    this.#pages.push({ key, documents, bytes, sha256 })
  }

  result(): Tally {
    const { unique: uniqueIds, bringsNew } = this.#ids.result()
    const pages = this.#pages.filter((_, index) => bringsNew[index])
    return { documents: pages.reduce((sum, page) => sum + page.documents, 0), uniqueIds, pages }
  }

  [Symbol.dispose](): void {
    this.#ids[Symbol.dispose]()
  }
}

export async function tallyPages(pages: AsyncIterable<CommittedPage>): Promise<Tally> {
  using tally = new PageTally()
  for await (const page of pages) tally.add(page)
  return tally.result()
}

export type Judgement =
  | { readonly whole: true; readonly proof: Proof }
  | { readonly whole: false; readonly reason: string }

export interface AttemptCount {
  readonly uniqueIds: number
  /** What the first page reported; undefined if it reported none. */
  readonly total: number | undefined
  readonly pageSize: number
  /** True if the outcome of some request is unknown, so that a page may have been lost. */
  readonly suspect: boolean
  readonly tolerancePercent: number
  /** Unique ids of this run's earlier attempts that were clean. */
  readonly earlierCleanCounts: readonly number[]
}

/** Whether an attempt that came to its end is whole. */
export function judge(attempt: AttemptCount): Judgement {
  const { uniqueIds, total, pageSize, suspect, tolerancePercent, earlierCleanCounts } = attempt
  if (total === undefined) {
    if (!suspect) return { whole: true, proof: 'no-total' }
    return notWhole('The platform reported no total to check a scroll against that may have lost a page.')
  }
  if (uniqueIds === total) return { whole: true, proof: 'exact' }
  const found = `${uniqueIds} unique documents were found where the platform reported ${total}`
  if (suspect) return notWhole(`${found}, and a page may have been lost on the way.`)
  if (Math.abs(uniqueIds - total) * 100 > tolerancePercent * total) {
    return notWhole(`${found}, which is outside the tolerance of ${tolerancePercent}%.`)
  }
  if (total - uniqueIds >= pageSize && !earlierCleanCounts.includes(uniqueIds)) {
    return notWhole(`${found}: a whole page or more is missing, and no other attempt found the same number.`)
  }
  return { whole: true, proof: 'within-tolerance' }
}

function notWhole(reason: string): Judgement {
  return { whole: false, reason }
}
