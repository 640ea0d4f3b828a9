import type { PageIds } from '../../../stored/documents/stored-ids.ts'
import { UniqueCount } from '../../../stored/documents/unique-count.ts'

/** Counts the ids of an attempt while its pages arrive. The publisher counts what is stored. */
export class ReceivedIds implements Disposable {
  readonly #ids: UniqueCount | undefined
  #count: number | undefined

  /** `hasAll`: whether this worker receives the attempt from its first page on. */
  constructor({ hasAll }: { readonly hasAll: boolean }) {
    this.#ids = hasAll ? new UniqueCount() : undefined
  }

  add({ fingerprints }: Pick<PageIds, 'fingerprints'>): void {
    this.#ids?.addPage(fingerprints)
    this.#count = undefined
  }

  /** Undefined if other workers received some of the pages. */
  unique(): number | undefined {
    this.#count ??= this.#ids?.result().unique
    return this.#count
  }

  [Symbol.dispose](): void {
    this.#ids?.[Symbol.dispose]()
  }
}
