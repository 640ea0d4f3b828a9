const words = 4

/** Distinct hashes of 128 bits, numbered in the order in which they came. */
export class IdTable {
  size = 0
  #ids: Uint32Array
  /** The number of a hash plus 1, by open addressing in a table that is at most half full. */
  #places: Uint32Array

  constructor(expected: number) {
    const most = Math.max(512, expected)
    this.#ids = new Uint32Array(words * most)
    this.#places = new Uint32Array(2 ** Math.ceil(Math.log2(2 * most)))
  }

  /** The number of the hash at this offset, which is added if it is new. */
  numberOf(hashes: Buffer, offset: number): number {
    const at = this.#placeOf(hashes, offset)
    const found = (this.#places[at] ?? 0) - 1
    if (found >= 0) return found
    if (words * this.size === this.#ids.length) {
      this.#grow()
      return this.numberOf(hashes, offset)
    }
    for (let word = 0; word < words; word++)
      this.#ids[words * this.size + word] = hashes.readUInt32BE(offset + 4 * word)
    this.#places[at] = ++this.size
    return this.size - 1
  }

  has(hashes: Buffer, offset: number): boolean {
    return this.#places[this.#placeOf(hashes, offset)] !== 0
  }

  /** Writes the hash with this number. */
  write(number: number, target: Buffer): void {
    for (let word = 0; word < words; word++)
      target.writeUInt32BE(this.#ids[words * number + word] ?? 0, 4 * word)
  }

  /** The sum of the hashes with these numbers. */
  sum(isWanted: (number: number) => boolean = () => true): bigint {
    let sum = 0n
    for (let start = 0; start < this.size; start += 2 ** 20) {
      // A double is exact up to 2^53, so 2^20 words of 32 bits fit.
      const totals: [number, number, number, number] = [0, 0, 0, 0]
      for (let number = start; number < Math.min(this.size, start + 2 ** 20); number++) {
        if (!isWanted(number)) continue
        const at = words * number
        totals[0] += this.#ids[at] ?? 0
        totals[1] += this.#ids[at + 1] ?? 0
        totals[2] += this.#ids[at + 2] ?? 0
        totals[3] += this.#ids[at + 3] ?? 0
      }
      sum += totals.reduce((before, total) => (before << 32n) + BigInt(total), 0n)
    }
    return sum
  }

  /** Where the hash is, or the free place where it would be. */
  #placeOf(hashes: Buffer, offset: number): number {
    const [ids, places] = [this.#ids, this.#places]
    const a = hashes.readUInt32BE(offset)
    const b = hashes.readUInt32BE(offset + 4)
    const c = hashes.readUInt32BE(offset + 8)
    const d = hashes.readUInt32BE(offset + 12)
    const mask = places.length - 1
    for (let at = d & mask; ; at = (at + 1) & mask) {
      const id = words * ((places[at] ?? 0) - 1)
      if (id < 0) return at
      if (ids[id] === a && ids[id + 1] === b && ids[id + 2] === c && ids[id + 3] === d) return at
    }
  }

  #grow(): void {
    const old = this.#ids
    this.#ids = new Uint32Array(2 * old.length)
    this.#ids.set(old)
    this.#places = new Uint32Array(2 ** Math.ceil(Math.log2((4 * old.length) / words)))
    const mask = this.#places.length - 1
    for (let number = 0; number < this.size; number++) {
      let at = (old[words * number + words - 1] ?? 0) & mask
      while (this.#places[at] !== 0) at = (at + 1) & mask
      this.#places[at] = number + 1
    }
  }
}
