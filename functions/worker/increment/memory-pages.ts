import { gunzipSync } from 'node:zlib'
import { fingerprintsOf } from '../../documents/fingerprint.ts'
import type { CommittedEnd, CommittedPage, Position } from '../../state/pages/page.ts'
import { positionOf } from '../../state/pages/page-items.ts'

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

  /** The sum of the fingerprints of the unique ids, modulo 2^64. */
  idSum(): bigint {
    const ids = new Set(this.#pages.flatMap(({ fingerprints }) => fingerprintsOf(fingerprints)))
    let sum = 0n
    for (const id of ids) sum = BigInt.asUintN(64, sum + id)
    return sum
  }

  async *#committed(): AsyncGenerator<CommittedPage> {
    yield* this.#pages
  }
}
