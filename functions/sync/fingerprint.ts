import { hash } from 'node:crypto'

/** Bytes of one fingerprint. With 64 bits, 10 million ids collide with a probability of 3 in a million. */
export const fingerprintBytes = 8

/** Writes the first 64 bits of the identity's SHA-256. */
export function writeFingerprint(identity: Buffer, target: Buffer, offset: number): void {
  // As a string of bytes ('binary' is Latin-1): a buffer of its own for each takes 1.1 µs instead of 0.4.
  target.write(hash('sha256', identity, 'binary'), offset, fingerprintBytes, 'latin1')
}

const shardCount = 64
const leastPlaces = 64

/**
 * A set of fingerprints, 12 to 16 bytes for each. One table that doubles takes 1,640 MB for 50 million, since the old
 * one lives while the new one is filled. Many that grow one by one, by a quarter, take 990.
 */
export class FingerprintSet {
  size = 0
  readonly #shards = Array.from({ length: shardCount }, () => new Shard())

  /** Adds the fingerprint at `offset`. True if it was not there before. */
  add(fingerprints: Buffer, offset: number): boolean {
    const high = fingerprints.readUInt32LE(offset)
    // A place of two zeros is a free one, so the fingerprint zero is stored as one.
    const low = fingerprints.readUInt32LE(offset + 4) || (high === 0 ? 1 : 0)
    const added = this.#shards[high % shardCount]?.add(high, low) ?? false
    if (added) this.size++
    return added
  }
}

/** A flat table with two numbers a place, searched from the place that `low` names; at most 65% are taken. */
class Shard {
  #taken = 0
  #places = leastPlaces
  #table = new Uint32Array(2 * leastPlaces)

  add(high: number, low: number): boolean {
    if (this.#taken >= 0.65 * this.#places) this.#grow()
    const added = this.#insert(high, low)
    if (added) this.#taken++
    return added
  }

  #insert(high: number, low: number): boolean {
    const table = this.#table
    let at = 2 * Math.floor((low / 2 ** 32) * this.#places)
    while (table[at] !== 0 || table[at + 1] !== 0) {
      if (table[at] === low && table[at + 1] === high) return false
      at += 2
      if (at === table.length) at = 0
    }
    table[at] = low
    table[at + 1] = high
    return true
  }

  #grow(): void {
    const old = this.#table
    this.#places = Math.ceil(this.#places * 1.25)
    this.#table = new Uint32Array(2 * this.#places)
    for (let at = 0; at < old.length; at += 2) {
      const low = old[at] ?? 0
      const high = old[at + 1] ?? 0
      if (low !== 0 || high !== 0) this.#insert(high, low)
    }
  }
}
