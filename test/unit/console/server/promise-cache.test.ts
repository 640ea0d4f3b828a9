import { expect, it } from 'vitest'
import { createPromiseCache } from '../../../../console/server/promise-cache.ts'

/** A cache of two results, and the keys that were computed. */
function counted() {
  const computed: string[] = []
  const cached = createPromiseCache<string>(2)
  const get = (key: string, error?: Error) =>
    cached(key, async () => {
      computed.push(key)
      if (error) throw error
      return key.toUpperCase()
    })
  return { computed, get }
}

it('shares a result while it is computed and afterwards', async () => {
  const { computed, get } = counted()
  expect(await Promise.all([get('a'), get('a')])).toEqual(['A', 'A'])
  expect([await get('a'), computed]).toEqual(['A', ['a']])
})

it('keeps the last results', async () => {
  const { computed, get } = counted()
  for (const key of ['a', 'b', 'c', 'b', 'c', 'a']) await get(key)
  expect(computed).toEqual(['a', 'b', 'c', 'a'])
})

it('computes again what failed', async () => {
  const { computed, get } = counted()
  await expect(get('a', new Error('Why.'))).rejects.toThrow('Why.')
  expect([await get('a'), computed]).toEqual(['A', ['a', 'a']])
})
