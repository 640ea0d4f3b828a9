import type { StatePart } from '../../../stored/chain/state-parts.ts'
import type { Entries } from '../../../stored/documents/entries.ts'
import type { EntryRef } from '../../../stored/documents/entry-table.ts'
import { fingerprintOfWords } from '../../../stored/documents/fingerprint-set.ts'
import { entryWords, pageWord } from '../../../stored/join/entries.ts'

/** The ids of the chain's snapshot. It keeps those of one bucket, since a join asks bucket by bucket. */
export class SnapshotIds {
  readonly #base: Pick<Entries, 'blocks'>
  readonly #parts: readonly StatePart[]
  #bucket: number | undefined
  readonly #ids = new Set<bigint>()

  constructor(base: Pick<Entries, 'blocks'>, parts: readonly StatePart[]) {
    this.#base = base
    this.#parts = parts
  }

  has({ entries, at }: EntryRef): boolean {
    const bucket = (entries[at] ?? 0) >>> 24
    if (bucket !== this.#bucket) this.#load(bucket)
    return this.#ids.has(fingerprintOfWords(entries, at))
  }

  #load(bucket: number): void {
    this.#bucket = bucket
    this.#ids.clear()
    for (const block of this.#base.blocks(bucket))
      for (let at = 0; at < block.length; at += entryWords)
        if (this.#parts[block[at + pageWord] ?? 0]?.from === 'snapshot')
          this.#ids.add(fingerprintOfWords(block, at))
  }
}
