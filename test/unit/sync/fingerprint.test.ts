import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FingerprintSet, fingerprintBytes, writeFingerprint } from '../../../functions/sync/fingerprint.ts'

const bytesOf = (fingerprints: readonly bigint[]) => {
  const bytes = Buffer.alloc(fingerprints.length * fingerprintBytes)
  for (const [index, one] of fingerprints.entries()) bytes.writeBigUInt64LE(one, index * fingerprintBytes)
  return bytes
}

describe('the set of fingerprints', () => {
  /** Any, and many that fall on the same places or differ in one half alone. */
  const fingerprint = fc.oneof(
    fc.bigInt({ min: 2n, max: 2n ** 64n - 1n }),
    fc.nat(50).map((high) => (7n << 32n) | BigInt(high + 2)),
    fc.nat(50).map((low) => BigInt(low + 1) << 42n),
    fc.constantFrom(2n ** 64n - 1n, 2n ** 63n, 2n ** 33n, 2n ** 31n, 0n),
  )

  it('counts as a set does', () => {
    fc.assert(
      fc.property(fc.array(fingerprint, { maxLength: 3000 }), (all) => {
        const bytes = bytesOf(all)
        const set = new FingerprintSet()
        const known = new Set<bigint>()
        const added = all.map((_, index) => set.add(bytes, index * fingerprintBytes))
        const expected = all.map((one) => !known.has(one) && known.add(one) !== undefined)
        expect(added).toEqual(expected)
        expect(set.size).toBe(known.size)
      }),
    )
  })

  it('grows beyond the places that it began with', () => {
    const set = new FingerprintSet()
    const all = bytesOf(Array.from({ length: 20_000 }, (_, index) => BigInt(index + 5) << 33n))
    const addAll = () => {
      let added = 0
      for (let at = 0; at < all.length; at += fingerprintBytes) added += set.add(all, at) ? 1 : 0
      return added
    }
    expect(addAll()).toBe(20_000)
    expect(addAll()).toBe(0)
    expect(set.size).toBe(20_000)
  })
})

it('a fingerprint is the first 64 bits of the SHA-256, where it was asked for', () => {
  const target = Buffer.alloc(24, 0xaa)
  writeFingerprint(Buffer.from('"id-1"'), target, 8)
  const expected = createHash('sha256').update('"id-1"').digest().subarray(0, 8)
  expect(target).toEqual(Buffer.concat([Buffer.alloc(8, 0xaa), expected, Buffer.alloc(8, 0xaa)]))
})
