import { expect, it } from 'vitest'
import { createWatchStore } from '../../../functions/freshness/watch.ts'
import { itemVersion } from '../../../functions/state/item-version.ts'
import { MemoryDynamoDb } from '../../simulation/stores/memory-dynamodb.ts'

it('stores in one item when each schedule was first seen, and nothing before the first check', async () => {
  const dynamodb = new MemoryDynamoDb()
  const store = createWatchStore(dynamodb)
  expect(await store.read()).toEqual({})
  const watched = { CL: '2026-03-01T00:00:00.000Z' } as never
  await store.write(watched)
  expect(await store.read()).toEqual(watched)
  expect(dynamodb.all()).toEqual([{ pk: 'freshness', sk: 'watched', version: itemVersion, watched }])
})
