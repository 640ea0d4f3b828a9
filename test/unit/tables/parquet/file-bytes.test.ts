import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { FileBytes } from '../../../../functions/tables/parquet/file-bytes.ts'

const megabyte = 1024 * 1024

describe('the bytes of a file', () => {
  it.each([
    ['nothing', []],
    ['less than a piece', [3, 5 * megabyte, 1]],
    ['exactly a piece', [32 * megabyte]],
    ['a byte more than a piece', [32 * megabyte, 1]],
    ['several pieces', [20 * megabyte, 20 * megabyte, 7, 30 * megabyte]],
    ['a part that is larger than a piece', [1, 40 * megabyte, 2]],
  ])('are what was written, in order: %s', (_, sizes) => {
    const parts = sizes.map((size) => randomBytes(size))
    const bytes = new FileBytes()
    for (const part of parts) bytes.appendBytes(part)
    bytes.appendVarInt(300)
    const expected = Buffer.concat([...parts, Buffer.of(0xac, 0x02)])
    expect(bytes.offset).toBe(expected.length)
    expect(expected.equals(bytes.takeBytes())).toBe(true)
  })
})
