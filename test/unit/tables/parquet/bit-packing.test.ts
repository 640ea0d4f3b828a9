import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { packedBits, packedRun, repeatedRun } from '../../../../functions/tables/parquet/bit-packing.ts'

function unpacked(bytes: Buffer, count: number, width: number): number[] {
  const bits = [...bytes].flatMap((byte) => Array.from({ length: 8 }, (_, bit) => (byte >> bit) & 1))
  return Array.from({ length: count }, (_, index) =>
    bits.slice(index * width, (index + 1) * width).reduceRight((value, bit) => 2 * value + bit, 0),
  )
}

describe('bit packing', () => {
  it('stores numbers of any width, the lowest bit first', () => {
    const numbers = fc.integer({ min: 1, max: 17 }).chain((width) =>
      fc.record({
        width: fc.constant(width),
        values: fc.array(fc.nat(2 ** width - 1), { minLength: 1, maxLength: 100 }),
      }),
    )
    fc.assert(
      fc.property(numbers, ({ width, values }) => {
        const bytes = packedBits(values, values.length, width)
        expect(bytes.length).toBe(Math.ceil(values.length / 8) * width)
        expect(unpacked(bytes, values.length, width)).toEqual(values)
      }),
    )
  })

  it('stores the example of the Parquet format', () => {
    const bytes = packedBits([0, 1, 2, 3, 4, 5, 6, 7], 8, 3)
    expect([...bytes]).toEqual([0b10001000, 0b11000110, 0b11111010])
  })

  it('begins a run with the number of groups, and one of a repeated value with the number of values', () => {
    expect([...packedRun(Array(9).fill(1), 9, 1)]).toEqual([(2 << 1) | 1, 0xff, 0x01])
    expect([...packedRun(Array(20_000).fill(0), 20_000, 1).subarray(0, 2)]).toEqual([0x89, 0x27])
    expect([...repeatedRun(1, 5)]).toEqual([10, 1])
    expect([...repeatedRun(0, 20_000)]).toEqual([0xc0, 0xb8, 0x02, 0])
  })
})
