import { idHashBytes } from './entries.ts'

/** Distinct hashes of 128 bits, numbered in the order in which they came. */
export class IdTable {
  size = 0
  #ids: Buffer
  /** The number of a hash plus 1, by open addressing in a table that is at most half full. */
  #places: Uint32Array

  constructor(expected: number) {
    const most = Math.max(512, expected)
    this.#ids = Buffer.alloc(idHashBytes * most)
    this.#places = new Uint32Array(2 ** Math.ceil(Math.log2(2 * most)))
  }

  /** The number of the hash at this offset, which is added if it is new. */
  numberOf(hashes: Buffer, offset: number): number {
    if (idHashBytes * this.size === this.#ids.length) this.#grow()
    const place = this.#placeOf(hashes, offset)
    const found = this.#places[place] ?? 0
    if (found > 0) return found - 1
    hashes.copy(this.#ids, idHashBytes * this.size, offset, offset + idHashBytes)
    this.#places[place] = ++this.size
    return this.size - 1
  }

  has(hashes: Buffer, offset: number): boolean {
    return this.#places[this.#placeOf(hashes, offset)] !== 0
  }

  bytesOf(number: number): Buffer {
    return this.#ids.subarray(idHashBytes * number, idHashBytes * (number + 1))
  }

  sum(isWanted: (number: number) => boolean = () => true): bigint {
    const ids = new DataView(this.#ids.buffer, this.#ids.byteOffset)
    let [high, low] = [0n, 0n]
    for (let number = 0; number < this.size; number++) {
      if (!isWanted(number)) continue
      high += ids.getBigUint64(idHashBytes * number)
      low += ids.getBigUint64(idHashBytes * number + 8)
    }
    return (high << 64n) + low
  }

  /** Where the hash is, or the free place where it would be. */
  #placeOf(hashes: Buffer, offset: number): number {
    const mask = this.#places.length - 1
    for (let place = hashes.readUInt32BE(offset + 12) & mask; ; place = (place + 1) & mask) {
      const at = idHashBytes * ((this.#places[place] ?? 0) - 1)
      if (at < 0) return place
      if (this.#ids.compare(hashes, offset, offset + idHashBytes, at, at + idHashBytes) === 0) return place
    }
  }

  #grow(): void {
    this.#ids = Buffer.concat([this.#ids, Buffer.alloc(this.#ids.length)])
    this.#places = new Uint32Array(2 * this.#places.length)
    for (let number = 0; number < this.size; number++)
      this.#places[this.#placeOf(this.#ids, idHashBytes * number)] = number + 1
  }
}
