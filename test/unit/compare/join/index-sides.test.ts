import { expect, it, vi } from 'vitest'
import { IndexedSides } from '../../../../functions/compare/join/index-sides.ts'

it('the index of two snapshots closes all of its files', () => {
  const indexed = new IndexedSides()
  const { base, target, same } = indexed
  const closed = [base.entries, base.saved, target.entries, target.saved, same].map((file) =>
    vi.spyOn(file, Symbol.dispose),
  )
  indexed[Symbol.dispose]()
  for (const close of closed) expect(close).toHaveBeenCalledOnce()
})
