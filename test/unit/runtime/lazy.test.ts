import { expect, test } from 'vitest'
import { lazy } from '../../../functions/runtime/lazy.ts'

test('a lazy value is loaded once, with the first call', async () => {
  let loads = 0
  const value = lazy(async () => ++loads)
  expect(loads).toBe(0)
  expect(await Promise.all([value(), value()])).toEqual([1, 1])
  expect(await value()).toBe(1)
})

test('a rejected load fails all calls that waited for it, and the next call loads again', async () => {
  let loads = 0
  const value = lazy(async () => {
    loads++
    if (loads === 1) throw new Error('the file is gone')
    return loads
  })
  const results = await Promise.allSettled([value(), value()])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(loads).toBe(1)
  expect(await value()).toBe(2)
})
