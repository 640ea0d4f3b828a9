import { hash } from 'node:crypto'
import type { Identity } from './identity.ts'

/** 32-bit words of an id hash. */
export const idHashWords = 4

/**
 * The id hash is the first 128 bits of the SHA-256 of a document's identity: the JSON of its id, or the document's
 * bytes if it has no id. 64 bits are not enough over thousands of comparisons: a single collision would be reported as
 * a change that did not happen.
 */
export function writeIdHash(identity: Identity, target: Uint32Array, offset: number): void {
  writeDigestWords(hash('sha256', identity, 'binary'), { target, offset, words: idHashWords })
}

/** Writes the first words of a digest in Latin-1, each big-endian. */
export function writeDigestWords(
  digest: string,
  { target, offset, words }: { target: Uint32Array; offset: number; words: number },
): void {
  for (let word = 0; word < words; word++) {
    const at = 4 * word
    target[offset + word] =
      (digest.charCodeAt(at) << 24) |
      (digest.charCodeAt(at + 1) << 16) |
      (digest.charCodeAt(at + 2) << 8) |
      digest.charCodeAt(at + 3)
  }
}

/** A sum of id hashes modulo 2^128, which shows that two sets of ids are equal without their order. */
export class IdSum {
  #words: [number, number, number, number] = [0, 0, 0, 0]
  #pending = 0

  /** Adds the id hash at `offset`. */
  add(hashes: Uint32Array, offset: number): void {
    const words = this.#words
    words[0] += hashes[offset] ?? 0
    words[1] += hashes[offset + 1] ?? 0
    words[2] += hashes[offset + 2] ?? 0
    words[3] += hashes[offset + 3] ?? 0
    // A double is exact up to 2^53, so 2^20 words of 32 bits fit.
    if (++this.#pending === 1 << 20) this.#carry()
  }

  value(): bigint {
    this.#carry()
    return this.#words.reduce((sum, word) => (sum << 32n) | BigInt(word), 0n)
  }

  #carry(): void {
    let carry = 0
    for (let word = 3; word >= 0; word--) {
      const sum = (this.#words[word] ?? 0) + carry
      carry = Math.floor(sum / 2 ** 32)
      this.#words[word] = sum - carry * 2 ** 32
    }
    this.#pending = 0
  }
}

const modulus = 1n << 128n

/** A sum as manifests have it: 32 hex digits. Negative differences wrap around. */
export function idSumText(sum: bigint): string {
  return (((sum % modulus) + modulus) % modulus).toString(16).padStart(32, '0')
}
