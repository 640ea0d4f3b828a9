import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Dictionary } from '../../../../functions/tables/parquet/dictionary.ts'
import { PlainValues } from '../../../../functions/tables/values/plain-values.ts'

/** The numbers of the texts, and the texts that the dictionary has. */
function interned(texts: readonly string[]) {
  const values = new PlainValues()
  const dictionary = new Dictionary(values)
  const numbers = texts.map((text) => {
    const start = values.length
    values.appendString(text)
    return dictionary.intern(start)
  })
  const distinct = Array.from({ length: dictionary.count }, (_, number) =>
    values.bytes.toString('utf8', dictionary.startOf(number) + 4, dictionary.endOf(number)),
  )
  expect(values.length).toBe(dictionary.endOf(dictionary.count - 1))
  return { numbers, distinct, dictionary }
}

describe('a dictionary', () => {
  it('has each value once, in the order of their first occurrence', () => {
    const numbers = Array.from({ length: 20_000 }, (_, number) => `${'x'.repeat(number % 7)}${number}`)
    const padded = Array.from({ length: 20_000 }, (_, number) => String(number * 100).padStart(12, '0'))
    const texts = [...numbers, ...padded, ...numbers, '', 'ção', ...padded, '', 'ção']
    const { numbers: found, distinct } = interned(texts)
    expect(distinct).toEqual([...new Set(texts)])
    expect(found.map((number) => distinct[number])).toEqual(texts)
  })

  it('has each of any values once', () => {
    const texts = fc.array(fc.string({ unit: 'binary', maxLength: 9 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(texts, (texts) => {
        const wellFormed = texts.map((text) => text.toWellFormed())
        const { numbers, distinct } = interned(wellFormed)
        expect(distinct).toEqual([...new Set(wellFormed)])
        expect(numbers.map((number) => distinct[number])).toEqual(wellFormed)
      }),
    )
  })

  it.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [256, 8],
    [257, 9],
    [70_000, 17],
  ])('of %i values has indexes of %i bits', (count, width) => {
    const { dictionary } = interned(Array.from({ length: count }, (_, number) => String(number)))
    expect(dictionary).toMatchObject({ count, indexWidth: width })
  })

  it('returns the right value if many have the same hash', () => {
    const values = new PlainValues()
    const dictionary = new Dictionary(values)
    const intern = (value: bigint) => {
      const start = values.length
      values.appendBigInt64(value)
      return dictionary.intern(start)
    }
    const colliding = Array.from({ length: 200 }, (_, number) => withSameHash(number))
    for (const _ of [1, 2]) {
      for (const value of colliding) {
        const start = dictionary.startOf(intern(value))
        expect(values.view.getBigInt64(start, true)).toBe(value)
      }
    }
    // Without a limit of the search it would have every value once.
    expect(dictionary.count).toBeGreaterThan(300)
  })
})

/** The lower half undoes what the upper half does to the hash. */
function withSameHash(upper: number): bigint {
  const other = Math.imul(mixed(upper), 0x85ebca6b)
  // What the lower half has to be mixed to, and what is mixed to that.
  const lower = unmixed(other) ^ 8
  return (BigInt(upper) << 32n) | BigInt(lower >>> 0)
}

function mixed(bits: number): number {
  const product = Math.imul(bits, 0x9e3779b1)
  return product ^ (product >>> 15)
}

function unmixed(bits: number): number {
  const product = bits ^ (bits >>> 15) ^ (bits >>> 30)
  // The inverse of the factor modulo 2^32.
  return Math.imul(product, 0x0e8b2f51)
}
