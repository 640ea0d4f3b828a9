import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, it, vi } from 'vitest'
import { readLines } from '../../../../functions/publisher/check/stored-lines.ts'
import { snapshotParts } from '../../../../stored/chain/state-parts.ts'
import { IndexedSides, indexSides } from '../../../../stored/join/index-sides.ts'
import { join } from '../../../../stored/join/join.ts'
import type { Manifest } from '../../../../stored/snapshots/manifest.ts'

it('the index of two snapshots closes all of its files', () => {
  const indexed = new IndexedSides()
  const { base, delivered, target } = indexed
  const closed = [base, delivered, target].map((file) => vi.spyOn(file, Symbol.dispose))
  indexed[Symbol.dispose]()
  for (const close of closed) expect(close).toHaveBeenCalledOnce()
})

it.each(['{"id":"\\u0041\\/"}', '{"id":1.0}', '{"id":null,"v":1}'])(
  '%s has the entry that the publisher stores of it',
  async (document) => {
    const body = gzipSync(`${document}\n{"id":"other"}\n`)
    const page = { key: 'page', documents: 2, bytes: body.length, sha256: hash('sha256', body) }
    const snapshot = { runId: 'read', idField: 'id', pages: [page] } as unknown as Manifest
    const source = {
      readObject: async () => Buffer.from(body),
      checkTime: () => undefined,
      damaged: (message: string) => new Error(message),
      async *checkedEntries({ runId }: Manifest) {
        if (runId === 'counted') yield { index: 0, entries: readLines(body, 'id').entries }
      },
    }
    const counted = { snapshot: { ...snapshot, runId: 'counted' }, parts: snapshotParts(snapshot) }
    using indexed = new IndexedSides()
    await indexSides(source, { base: counted, target: snapshot }, indexed)
    const differs = () => expect.unreachable()
    const counts = join(indexed, {
      pair: differs,
      onlyInBase: differs,
      onlyInTarget: differs,
      isAlwaysReported: () => false,
    })
    expect(counts).toMatchObject({ baseDocuments: 2, targetDocuments: 2, unchanged: 2 })
  },
)
