import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compact, needsCompaction } from '../../../../functions/worker/increment/compaction.ts'
import { runsToTry } from '../../../case-count.ts'

const record = (id: number, n: number) => `{"op":"r","id":${id},"after":{"id":${id},"n":${n}}}`

/** Parts of these ids, whose records are numbered in their order. */
function partsOf(ids: readonly (readonly number[])[]) {
  const objects = new Map<string, Buffer>()
  const last = new Map<number, string>()
  let n = 0
  const parts = ids.map((ofPart, index) => {
    const records = ofPart.map((id) => {
      const line = record(id, n++)
      last.set(id, line)
      return line
    })
    const body = gzipSync(records.map((line) => `${line}\n`).join(''))
    const key = `changes/CL/${index}/records-1.ndjson.gz`
    objects.set(key, body)
    return { key, records: records.length, bytes: body.length, sha256: '' }
  })
  return { parts, objects, last }
}

it('keeps the last record of each document, however few ids fit into memory', async () => {
  const ids = fc.array(fc.array(fc.nat(12), { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 8 })
  const property = fc.asyncProperty(ids, fc.integer({ min: 1, max: 40 }), async (ofParts, maxIds) => {
    const { parts, objects, last } = partsOf(ofParts)
    const written: string[] = []
    let reads = 0
    const compacted = await compact(
      parts,
      {
        readObject: async (key) => {
          reads++
          return objects.get(key)
        },
        async store(body) {
          written.push(...gunzipSync(body).toString().split('\n').slice(0, -1))
          return 'key'
        },
      },
      maxIds,
    )
    expect(written.toSorted()).toEqual([...last.values()].toSorted())
    expect(compacted?.reduce((sum, { records }) => sum + records, 0)).toBe(last.size)
    const records = ofParts.flat().length
    expect(reads).toBe(parts.length * Math.ceil(records / maxIds))
  })
  await fc.assert(property, { numRuns: runsToTry(100) })
})

it('replaces nothing if a part is gone', async () => {
  const { parts, objects } = partsOf([[1], [2]])
  objects.delete(parts[0]?.key ?? '')
  const io = { readObject: async (key: string) => objects.get(key), store: async () => 'key' }
  expect(await compact(parts, io)).toBeUndefined()
})

it.each([
  [100, false],
  [101, true],
])('is due beyond 100 parts, whatever their size: %i', (count, isDue) => {
  const part = { key: 'changes/CL/r/records-1.ndjson.gz', records: 1, bytes: 1024 ** 3, sha256: '' }
  const compacted = { ...part, key: 'changes/CL/r/compacted-1.ndjson.gz' }
  expect(needsCompaction([compacted, ...Array.from({ length: count }, () => part)])).toBe(isDue)
})
