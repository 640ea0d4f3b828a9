import { gunzipSync } from 'node:zlib'
import type { EndedWindow } from '../../../stored/changes/proposal.ts'
import { fingerprintsOf } from '../../../stored/documents/fingerprint.ts'
import { readIds } from '../../../stored/documents/stored-ids.ts'
import type { CommittedEnd, CommittedPage, Position } from '../../../stored/pages/page.ts'
import { positionOf } from '../../../stored/pages/page-items.ts'
import { pick } from '../../runtime/pick.ts'

/** What the pages of a window contain. */
export interface CountedPages {
  readonly uniqueIds: number
  /** Of the fingerprints of the ids, modulo 2^64. */
  readonly sum: bigint
  /** Without repeated pages, and the documents of these. */
  readonly pages: number
  readonly documents: number
  /** Documents of all pages. */
  readonly received: number
  readonly largestPage: number
  /** Pages with as many documents as the largest. */
  readonly largestPages: number
}

/** The pages of the current attempt at an increment's window. */
export class MemoryPages {
  #pages: CommittedPage[] = []
  readonly #objects = new Map<string, Buffer>()
  #last: CommittedPage | CommittedEnd | undefined
  /** Compressed. */
  bytes = 0

  /** What the scroll engine stores pages in. */
  readonly stores = {
    snapshots: {
      putPage: async (key: string, body: Buffer): Promise<void> => {
        this.#objects.set(key, body)
        this.bytes += body.length
      },
      readPage: async (key: string): Promise<Buffer | undefined> => this.#objects.get(key),
    },
    state: {
      commitPage: async (_attempt: unknown, page: CommittedPage): Promise<void> => {
        this.#pages.push(page)
        this.#last = page
      },
      commitEnd: async (_attempt: unknown, end: CommittedEnd): Promise<void> => {
        this.#last = end
      },
      lastPosition: async (): Promise<Position | undefined> => this.#last && positionOf(this.#last),
      pages: () => this.#committed(),
    },
  }

  /** Another attempt begins. */
  clear(): void {
    this.#pages = []
    this.#objects.clear()
    this.#last = undefined
    this.bytes = 0
  }

  /** The lines of each page, in order. */
  *lines(): Generator<Buffer> {
    for (const { key } of this.#pages) {
      const object = this.#objects.get(key)
      if (object) yield gunzipSync(object)
    }
  }

  /** What was recorded of a scroll that has ended. */
  recorded(): Pick<EndedWindow, 'pages' | 'end'> {
    const end = this.#last
    return {
      pages: this.#pages.map((one) => pick(one, 'page', 'documents', 'received')),
      end: { page: end?.page ?? 1, ...(end?.received && { received: end.received }) },
    }
  }

  count(idField: string): CountedPages {
    const ids = new Set<bigint>()
    const counted = this.#pages.map(({ key, documents }) => {
      const before = ids.size
      const { fingerprints, documentsWithoutId } = readIds(this.#objects.get(key) ?? Buffer.alloc(0), idField)
      for (const id of fingerprintsOf(fingerprints)) ids.add(id)
      return { documents, stays: ids.size > before || documentsWithoutId > 0 }
    })
    const staying = counted.filter(({ stays }) => stays)
    const sizes = counted.map(({ documents }) => documents)
    const largestPage = Math.max(0, ...sizes)
    return {
      uniqueIds: ids.size,
      sum: [...ids].reduce((sum, id) => BigInt.asUintN(64, sum + id), 0n),
      pages: staying.length,
      documents: staying.reduce((sum, page) => sum + page.documents, 0),
      received: sizes.reduce((sum, size) => sum + size, 0),
      largestPage,
      largestPages: sizes.filter((size) => size === largestPage).length,
    }
  }

  async *#committed(): AsyncGenerator<CommittedPage> {
    yield* this.#pages
  }
}
