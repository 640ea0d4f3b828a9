import { expect, it } from 'vitest'
import { PlainValues } from '../../../../functions/tables/values/plain-values.ts'

it('have texts of any size whole, which need up to three bytes for each character', () => {
  for (const size of [1, 100, 339, 340, 341, 1000, 5000]) {
    const text = '€'.repeat(size)
    const values = new PlainValues()
    values.appendString(text)
    values.appendString(text)
    const bytes = values.bytes.subarray(0, values.length)
    expect(bytes.length).toBe(2 * (4 + 3 * size))
    expect(bytes.readInt32LE(0)).toBe(3 * size)
    expect(bytes.toString('utf8', 8 + 3 * size)).toBe(text)
  }
})
