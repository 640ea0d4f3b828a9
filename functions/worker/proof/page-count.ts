import { UniqueCount } from '../../documents/unique-count.ts'
import type { ManifestPage } from '../../state/manifest.ts'
import type { CommittedPage } from '../../state/page.ts'

export interface Tally {
  /** Lines in the pages that stay. */
  readonly documents: number
  readonly uniqueIds: number
  readonly pages: readonly ManifestPage[]
}

/** Counts an attempt's pages in their order. A page whose ids were all seen before is a repeat and is left out. */
export class PageCount implements Disposable {
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

export async function countPages(pages: AsyncIterable<CommittedPage>): Promise<Tally> {
  using tally = new PageCount()
  for await (const page of pages) tally.add(page)
  return tally.result()
}
