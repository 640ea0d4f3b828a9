/** An entry at `at` of `entries`. */
export interface EntryRef {
  readonly entries: Uint32Array
  readonly at: number
}

/**
 * The entries of one bucket, found by their id hashes: a flat table that is at most half full. The last words of an entry
 * are the page and the line of its document. Of several with one id hash, it has that of the last line.
 */
export class EntryTable {
  readonly #words: number
  entries: Uint32Array
  /** Positions of entries plus one; zero is free. Their number is a power of two. */
  #slots = new Uint32Array(2048)
  #length = 0

  /** `words`: those of an entry. */
  constructor(words: number) {
    this.#words = words
    this.entries = new Uint32Array(words * 1024)
  }

  load(blocks: Iterable<Uint32Array>): void {
    this.#length = 0
    this.#slots.fill(0)
    for (const block of blocks) {
      this.#allocate(this.#length + block.length)
      for (let at = 0; at < block.length; at += this.#words) this.#put(block, at)
    }
  }

  /** Adds an entry. */
  put({ entries, at }: EntryRef): void {
    this.#allocate(this.#length + this.#words)
    this.#put(entries, at)
  }

  /** Yields one object, which it changes for each entry. */
  *refs(): Generator<EntryRef> {
    const ref = { entries: this.entries, at: 0 }
    for (; ref.at < this.#length; ref.at += this.#words) yield ref
  }

  /** Where the entry with this id hash is, or -1. */
  find({ entries, at }: EntryRef): number {
    return (this.#slots[this.#slotOf(entries, at)] ?? 0) - 1
  }

  /** Adds the entry, unless the table has one with the same id hash and a later line. */
  #put(block: Uint32Array, at: number): void {
    const slot = this.#slotOf(block, at)
    const known = this.#slots[slot] ?? 0
    if (known !== 0 && this.#isLater(known - 1, block, at)) return
    const position = known === 0 ? this.#length : known - 1
    for (let word = 0; word < this.#words; word++) this.entries[position + word] = block[at + word] ?? 0
    if (known !== 0) return
    this.#slots[slot] = position + 1
    this.#length += this.#words
  }

  /** The slot of the entry with this id hash, or the free one where it would be. */
  #slotOf(entries: Uint32Array, at: number): number {
    const mask = this.#slots.length - 1
    let slot = (entries[at + 1] ?? 0) & mask
    for (;;) {
      const position = this.#slots[slot] ?? 0
      if (position === 0 || this.#hasIdAt(position - 1, entries, at)) return slot
      slot = (slot + 1) & mask
    }
  }

  #hasIdAt(position: number, entries: Uint32Array, at: number): boolean {
    const own = this.entries
    return (
      own[position] === entries[at] &&
      own[position + 1] === entries[at + 1] &&
      own[position + 2] === entries[at + 2] &&
      own[position + 3] === entries[at + 3]
    )
  }

  #allocate(words: number): void {
    if (words <= this.entries.length) return
    const old = this.entries
    let length = old.length
    while (length < words) length *= 2
    this.entries = new Uint32Array(length)
    this.entries.set(old.subarray(0, this.#length))
    this.#slots = new Uint32Array((2 * this.entries.length) / this.#words)
    this.#rehash()
  }

  #rehash(): void {
    for (let at = 0; at < this.#length; at += this.#words)
      this.#slots[this.#slotOf(this.entries, at)] = at + 1
  }

  /** Whether the own entry is of a later line than the other. */
  #isLater(position: number, entries: Uint32Array, at: number): boolean {
    const [page, line] = [this.#words - 2, this.#words - 1]
    const own = this.entries
    const [ownPage, otherPage] = [own[position + page] ?? 0, entries[at + page] ?? 0]
    if (ownPage !== otherPage) return ownPage > otherPage
    return (own[position + line] ?? 0) > (entries[at + line] ?? 0)
  }
}
