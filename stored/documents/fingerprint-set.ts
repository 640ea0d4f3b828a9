import { fingerprintBytes, writeFingerprint } from './fingerprint.ts'
import type { Identity } from './identity.ts'

/** The fingerprint of a document's identity as a number. */
export function fingerprintOf(identity: Identity): bigint {
  const bytes = Buffer.allocUnsafe(fingerprintBytes)
  writeFingerprint(identity, bytes, 0)
  return bytes.readBigUInt64BE()
}

/** The same of an id hash, in 32-bit words. */
export const fingerprintOfWords = (words: Uint32Array, at: number): bigint =>
  (BigInt(words[at] ?? 0) << 32n) | BigInt(words[at + 1] ?? 0)

/** Fingerprints of the documents of a snapshot, 8 bytes each. */
export class FingerprintSet {
  readonly #fingerprints: BigUint64Array
  #count = 0
  #sorted: BigUint64Array | undefined

  /** `documents`: the maximum number of them. */
  constructor(documents: number) {
    this.#fingerprints = new BigUint64Array(documents)
  }

  add(fingerprint: bigint): void {
    this.#fingerprints[this.#count++] = fingerprint
    this.#sorted = undefined
  }

  has(fingerprint: bigint): boolean {
    const sorted = this.#sort()
    let [from, to] = [0, sorted.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((sorted[middle] ?? 0n) < fingerprint) from = middle + 1
      else to = middle
    }
    return sorted[from] === fingerprint
  }

  /** How often each was added that was added more than once. */
  repeated(): Map<bigint, number> {
    const counts = new Map<bigint, number>()
    const sorted = this.#sort()
    for (let at = 1; at < sorted.length; at++) {
      const fingerprint = sorted[at] ?? 0n
      if (fingerprint === sorted[at - 1]) counts.set(fingerprint, (counts.get(fingerprint) ?? 1) + 1)
    }
    return counts
  }

  #sort(): BigUint64Array {
    this.#sorted ??= this.#fingerprints.subarray(0, this.#count).sort()
    return this.#sorted
  }
}
