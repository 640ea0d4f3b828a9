import { IdSum, idHashWords, writeIdHash } from '../documents/id-hash.ts'
import { canonicalDocument } from './canonical.ts'

/**
 * The sum modulo 2^128 of the hashes of canonical documents without ignored fields. Readers have equal documents but not
 * always the same bytes, since a rewritten document is no record: their sums are the same.
 */
export class ContentSum {
  readonly #ignored: ReadonlySet<string>
  readonly #added = new IdSum()
  readonly #removed = new IdSum()
  readonly #words = new Uint32Array(idHashWords)

  constructor(ignore: readonly string[]) {
    this.#ignored = new Set(ignore)
  }

  /** What is hashed of a document: equal for documents that are equal for change sets. */
  canonical(document: Buffer): string {
    return canonicalDocument(document, this.#ignored)
  }

  add(canonical: string): void {
    writeIdHash(canonical, this.#words, 0)
    this.#added.add(this.#words, 0)
  }

  remove(canonical: string): void {
    writeIdHash(canonical, this.#words, 0)
    this.#removed.add(this.#words, 0)
  }

  value(): bigint {
    return this.#added.value() - this.#removed.value()
  }
}
