import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { writeFingerprint } from '../../../../stored/documents/fingerprint.ts'

it('writes the first 64 bits of the SHA-256 at the given offset', () => {
  const target = Buffer.alloc(24, 0xaa)
  writeFingerprint(Buffer.from('"id-1"'), target, 8)
  const expected = createHash('sha256').update('"id-1"').digest().subarray(0, 8)
  expect(target).toEqual(Buffer.concat([Buffer.alloc(8, 0xaa), expected, Buffer.alloc(8, 0xaa)]))
})
