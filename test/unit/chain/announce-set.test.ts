import { expect, it } from 'vitest'
import { markAnnounced } from '../../../functions/chain/announce-set.ts'
import type { SetManifest } from '../../../functions/state/changes/changes.ts'

/** What is written to a chain with this tip when the set of `r2` was announced. */
async function written(tip: string | undefined): Promise<unknown[]> {
  const writes: unknown[] = []
  const changes = {
    readLatest: async () => tip && { value: { tip, sets: [] }, etag: 'e' },
    writeLatest: async (...given: unknown[]) => writes.push(given),
  }
  await markAnnounced({ changes } as never, { entity: 'CL', runId: 'r2' } as SetManifest)
  return writes
}

it('marks the set at the tip as announced, and no other one that has become the tip since', async () => {
  const read = { value: { tip: 'r2', sets: [] }, etag: 'e' }
  expect(await written('r2')).toEqual([['CL', { tip: 'r2', sets: [], announced: true }, read]])
  expect(await written('r3')).toEqual([])
  expect(await written(undefined)).toEqual([])
})
