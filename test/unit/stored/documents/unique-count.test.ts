import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fingerprintBytes } from '../../../../stored/documents/fingerprint.ts'
import { UniqueCount } from '../../../../stored/documents/unique-count.ts'

const bytesOf = (fingerprints: readonly bigint[]) => {
  const bytes = Buffer.alloc(fingerprints.length * fingerprintBytes)
  for (const [index, one] of fingerprints.entries()) bytes.writeBigUInt64LE(one, index * fingerprintBytes)
  return bytes
}

describe('the count of fingerprints', () => {
  /** Any value, and many that use the same slots or differ only in one half. */
  const fingerprint = fc.oneof(
    fc.bigInt({ min: 2n, max: 2n ** 64n - 1n }),
    fc.nat(50).map((high) => (7n << 32n) | BigInt(high + 2)),
    fc.nat(50).map((low) => BigInt(low + 1) << 42n),
    fc.constantFrom(2n ** 64n - 1n, 2n ** 63n, 2n ** 33n, 2n ** 31n, 0n),
  )

  it('counts like a set and reports the pages with new fingerprints', () => {
    fc.assert(
      fc.property(fc.array(fc.array(fingerprint, { maxLength: 300 }), { maxLength: 12 }), (pages) => {
        using count = new UniqueCount()
        const known = new Set<bigint>()
        const expected = pages.map((page) => {
          count.addPage(bytesOf(page))
          const before = known.size
          for (const one of page) known.add(one)
          return known.size > before ? 1 : 0
        })
        const { unique, bringsNew } = count.result()
        expect(unique).toBe(known.size)
        expect([...bringsNew]).toEqual(expected)
      }),
    )
  })

  it.each([
    ['equal ones once', [9n << 32n, 9n << 32n], 1],
    ['those whose second half is zero', [5n, 5n, 6n], 2],
    ['those whose halves are one and zero', [5n, (1n << 32n) | 5n, 1n, 1n << 32n], 4],
    ['those whose first half is zero', [1n << 32n, 2n << 32n, 2n << 32n], 2],
    ['zero', [0n, 0n], 1],
  ])('counts %s', (_, fingerprints, unique) => {
    using count = new UniqueCount()
    count.addPage(bytesOf(fingerprints))
    expect(count.result()).toEqual({ unique, bringsNew: Uint8Array.of(1) })
  })

  it.each([
    ['first', 20_000, (index: number) => BigInt(index + 5) << 33n],
    ['second', 700, (index: number) => BigInt(index + 5) << 8n],
    ['first byte of the first', 2_000, (index: number) => (BigInt(index) << 32n) | (BigInt(index) << 8n)],
  ])('counts more than fit into its first table, all with the same %s half', (_, length, fingerprint) => {
    using count = new UniqueCount()
    const all = bytesOf(Array.from({ length }, (_, index) => fingerprint(index)))
    count.addPage(all)
    count.addPage(all)
    expect(count.result()).toEqual({ unique: length, bringsNew: Uint8Array.of(1, 0) })
  })

  it('counts more in all buckets than fit into its first table', () => {
    using count = new UniqueCount()
    count.addPage(
      bytesOf(Array.from({ length: 5_000 }, (_, index) => (BigInt(index) << 32n) | BigInt(index))),
    )
    expect(count.result().unique).toBe(5_000)
  })

  it('deletes its file on dispose', () => {
    const count = new UniqueCount()
    count.addPage(bytesOf(Array.from({ length: 300 }, (_, index) => BigInt(index) << 32n)))
    count[Symbol.dispose]()
    expect(() => count.result()).toThrow('a temporary file has 0 bytes')
  })
})
