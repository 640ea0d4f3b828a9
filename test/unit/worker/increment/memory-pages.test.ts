import { expect, it } from 'vitest'
import { MemoryPages } from '../../../../functions/worker/increment/memory-pages.ts'

it('the pages of an attempt need as much memory as all of them, and none once another attempt begins', async () => {
  const pages = new MemoryPages()
  for (const size of [5, 7]) await pages.stores.snapshots.putPage(`page-${size}`, Buffer.alloc(size))
  expect(pages.bytes).toBe(12)
  pages.clear()
  expect(pages.bytes).toBe(0)
})
