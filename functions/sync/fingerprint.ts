import { hash } from 'node:crypto'

/** Bytes of one fingerprint. With 64 bits, 10 million ids collide with a probability of 3 in a million. */
export const fingerprintBytes = 8

/** Writes the first 64 bits of the identity's SHA-256. */
export function writeFingerprint(identity: Buffer, target: Buffer, offset: number): void {
  hash('sha256', identity, 'buffer').copy(target, offset, 0, fingerprintBytes)
}

/** A power of two, as each growth keeps it: a place is found by a mask. */
const leastPlaces = 2048

/** A set of fingerprints in two flat arrays: 8 bytes a place, at most 60% of the places taken. */
export class FingerprintSet {
  size = 0
  #high = new Uint32Array(leastPlaces)
  #low = new Uint32Array(leastPlaces)

  /** Adds the fingerprint at `offset`. True if it was not there before. */
  add(fingerprints: Buffer, offset: number): boolean {
    if (this.size >= this.#low.length * 0.6) this.#grow()
    const high = fingerprints.readUInt32LE(offset)
    // A place of two zeros is a free one, so the fingerprint zero is stored as one.
    const low = fingerprints.readUInt32LE(offset + 4) || (high === 0 ? 1 : 0)
    const added = this.#insert(high, low)
    if (added) this.size++
    return added
  }

  #insert(high: number, low: number): boolean {
    const mask = this.#low.length - 1
    let place = low & mask
    while (this.#low[place] !== 0 || this.#high[place] !== 0) {
      if (this.#low[place] === low && this.#high[place] === high) return false
      place = (place + 1) & mask
    }
    this.#low[place] = low
    this.#high[place] = high
    return true
  }

  #grow(): void {
    const high = this.#high
    const low = this.#low
    this.#high = new Uint32Array(high.length * 2)
    this.#low = new Uint32Array(low.length * 2)
    for (let place = 0; place < low.length; place++) {
      if (low[place] !== 0 || high[place] !== 0) this.#insert(high[place] ?? 0, low[place] ?? 0)
    }
  }
}
