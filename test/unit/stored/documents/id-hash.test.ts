import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { IdSum, idSumText, writeIdHash } from '../../../../stored/documents/id-hash.ts'

const digest = (identity: string) => createHash('sha256').update(identity).digest('hex')

it('writes the first 128 bits of the SHA-256 of the identity', () => {
  const words = new Uint32Array(6).fill(7)
  writeIdHash(Buffer.from('"id-1"'), words, 1)
  const text = [...words.subarray(1, 5)].map((word) => word.toString(16).padStart(8, '0')).join('')
  expect(text).toBe(digest('"id-1"').slice(0, 32))
  expect([words[0], words[5]]).toEqual([7, 7])
})

it('adds id hashes modulo 2^128', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }), { maxLength: 50 }), (hashes) => {
      const sum = new IdSum()
      for (const hash of hashes) {
        const text = idSumText(hash)
        const words = Uint32Array.from([0, 8, 16, 24], (at) => Number.parseInt(text.slice(at, at + 8), 16))
        sum.add(words, 0)
      }
      const expected = hashes.reduce((total, hash) => total + hash, 0n) % (1n << 128n)
      expect(idSumText(sum.value())).toBe(idSumText(expected))
    }),
  )
})

it('adds more id hashes than a double can add without carrying', () => {
  const sum = new IdSum()
  const largest = new Uint32Array(4).fill(2 ** 32 - 1)
  const count = 2 ** 21 + 3
  for (let added = 0; added < count; added++) sum.add(largest, 0)
  expect(idSumText(sum.value())).toBe(idSumText(BigInt(-count)))
})

it('writes a negative difference as its residue', () => expect(idSumText(-1n)).toBe('f'.repeat(32)))
