import { UniqueCount } from '../../documents/unique-count.ts'
import type { CommittedPage } from '../../state/pages/page.ts'
import type { ManifestPage } from '../../state/snapshots/manifest.ts'

export interface PageCount {
  /** Lines of the pages that stay. */
  readonly documents: number
  readonly uniqueIds: number
  /** Lines of all pages. */
  readonly received: number
  /** Documents of the largest page that was received. */
  readonly largestPage: number
  /** Without repeated pages. */
  readonly pages: readonly ManifestPage[]
}

interface CountedPage {
  readonly page: ManifestPage
  readonly hasDocumentsWithoutId: boolean
}

/**
 * Counts an attempt's pages in their order. A page whose ids were all seen before is a repeat and is dropped. A document
 * without an id may resemble another one, so a page that has one is never a repeat.
 */
export class PageCounter implements Disposable {
  readonly #ids = new UniqueCount()
  readonly #pages: CountedPage[] = []
  #result: PageCount | undefined

  add({ key, documents, documentsWithoutId, bytes, sha256, fingerprints }: CommittedPage): void {
    this.#ids.addPage(fingerprints)
    const hasDocumentsWithoutId = documentsWithoutId > 0
    this.#pages.push({ page: { key, documents, bytes, sha256 }, hasDocumentsWithoutId })
    this.#result = undefined
  }

  /** The count so far. */
  result(): PageCount {
    this.#result ??= this.#count()
    return this.#result
  }

  #count(): PageCount {
    const { unique: uniqueIds, bringsNew } = this.#ids.result()
    const stays = this.#pages.filter((page, index) => bringsNew[index] || page.hasDocumentsWithoutId)
    const pages = stays.map(({ page }) => page)
    return {
      documents: pages.reduce((sum, page) => sum + page.documents, 0),
      uniqueIds,
      received: this.#pages.reduce((sum, { page }) => sum + page.documents, 0),
      largestPage: this.#pages.reduce((largest, { page }) => Math.max(largest, page.documents), 0),
      pages,
    }
  }

  [Symbol.dispose](): void {
    this.#ids[Symbol.dispose]()
  }
}

export async function countPages(pages: AsyncIterable<CommittedPage>): Promise<PageCount> {
  using counter = await counterOf(pages)
  return counter.result()
}

/**
 * Counts an attempt along with its commits. A worker that took the attempt over reads its page items once, when the
 * count is needed.
 */
export class AttemptCount implements Disposable {
  #counter: PageCounter | undefined
  readonly #pages: () => AsyncIterable<CommittedPage>

  constructor(pages: () => AsyncIterable<CommittedPage>, { isNew }: { readonly isNew: boolean }) {
    this.#pages = pages
    this.#counter = isNew ? new PageCounter() : undefined
  }

  add(page: CommittedPage): void {
    this.#counter?.add(page)
  }

  /** The count of all committed pages. */
  async result(): Promise<PageCount> {
    this.#counter ??= await counterOf(this.#pages())
    return this.#counter.result()
  }

  [Symbol.dispose](): void {
    this.#counter?.[Symbol.dispose]()
  }
}

async function counterOf(pages: AsyncIterable<CommittedPage>): Promise<PageCounter> {
  const counter = new PageCounter()
  try {
    for await (const page of pages) counter.add(page)
    return counter
  } catch (error) {
    counter[Symbol.dispose]()
    throw error
  }
}
