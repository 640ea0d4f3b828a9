import { beforeEach, describe, expect, it } from 'vitest'
import { type Manifest, manifestKey } from '../../../functions/state/snapshots/manifest.ts'
import { ChangeSetTestbed } from './change-set-testbed.ts'

let testbed: ChangeSetTestbed

beforeEach(() => {
  testbed = new ChangeSetTestbed()
})

const documents = (count: number, value = 0) =>
  Array.from({ length: count }, (_, id) => `{"id":"${id}","v":${value}}`)

/** Changes the manifest of a published snapshot. */
function changeManifest(runId: string, change: Partial<Manifest>): void {
  const key = manifestKey('CL', runId)
  const manifest = JSON.parse(testbed.text(key) ?? '') as Manifest
  testbed.overwrite(key, Buffer.from(JSON.stringify({ ...manifest, ...change })))
}

describe('a comparison', () => {
  it('reads each object once', async () => {
    await testbed.next({ documents: documents(10) })
    await testbed.next({ documents: documents(9), proof: 'no-total' })
    testbed.publish({ documents: documents(8, 1), proof: 'no-total' })
    const read: string[] = []
    const result = await testbed.compare({}, (context) => ({
      ...context,
      changes: {
        ...context.changes,
        readObject: (key) => {
          read.push(key)
          return context.changes.readObject(key)
        },
      },
    }))
    expect(result).toMatchObject({ updated: 8, withheld: 1, deleted: 1 })
    expect(new Set(read).size).toBe(read.length)
    expect(read).toHaveLength(3 + 3 + 1)
  })

  it.each([
    [
      'the base has other documents than its manifest',
      0,
      { documents: 4 },
      'The base has 3 documents; its manifest has 4.',
    ],
    [
      'the snapshot has other documents than its manifest',
      1,
      { documents: 1 },
      'The snapshot has 2 documents; its manifest has 1.',
    ],
    [
      'the snapshot has fewer unique ids than its manifest',
      1,
      { uniqueIds: 3 },
      'The snapshot has 2 unique ids; its manifest has 3.',
    ],
  ] as const)('fails if %s', async (...[, side, change, reason]) => {
    const { manifest } = await testbed.next({ documents: documents(3) })
    const runId = testbed.publish({ documents: documents(2) })
    changeManifest([manifest.runId, runId][side] ?? '', change)
    expect(await testbed.compare()).toMatchObject({
      status: 'failed',
      reason,
    })
    expect(testbed.chain()?.failures).toBeNull()
  })

  it('accepts a snapshot whose manifest has as many unique ids, or fewer', async () => {
    await testbed.next({ documents: documents(3) })
    for (const uniqueIds of [2, 1]) {
      changeManifest(testbed.publish({ documents: documents(2) }), { uniqueIds })
      expect(await testbed.compare()).toMatchObject({ status: 'published' })
    }
  })
})
