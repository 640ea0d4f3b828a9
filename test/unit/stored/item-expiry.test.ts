import { expect, it } from 'vitest'
import { itemExpiry, mayHaveExpired } from '../../../stored/item-expiry.ts'

const start = Date.UTC(2026, 2, 1)
const thirtyDaysLater = Date.UTC(2026, 2, 31)

it('an item expires 30 days after the end of its run, in whole seconds', () => {
  expect(itemExpiry(start)).toBe(thirtyDaysLater / 1000)
  expect(itemExpiry(start + 999)).toBe(thirtyDaysLater / 1000)
})

it('the item of a run may have expired when its start is more than 30 days ago', () => {
  expect(mayHaveExpired(start, thirtyDaysLater)).toBe(false)
  expect(mayHaveExpired(start, thirtyDaysLater + 1)).toBe(true)
})
