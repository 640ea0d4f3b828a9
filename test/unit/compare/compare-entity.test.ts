import { beforeEach, describe, expect, it } from 'vitest'
import { setManifestKey } from '../../../functions/state/changes.ts'
import { ChangeSetTestbed, numberedDocuments as documents, withChanges } from './change-set-testbed.ts'

let testbed: ChangeSetTestbed

beforeEach(() => {
  testbed = new ChangeSetTestbed()
})

const crash = async () => {
  throw new Error('The function crashed.')
}

describe('a comparison after one that crashed before it moved the tip', () => {
  it('publishes the set that is stored, without reading the snapshots', async () => {
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    await testbed.next({ documents: documents(20) })
    const runId = testbed.publish({ documents: documents(2) })
    const crashing = testbed.compare(
      { runId, acceptDeletes: true },
      withChanges(() => ({ writeLatest: crash })),
    )
    await expect(crashing).rejects.toThrow('crashed')
    const result = await testbed.compare(
      {},
      withChanges(() => ({ readObject: crash })),
    )
    expect(result).toMatchObject({ status: 'published', manifest: { runId, deleted: 18 } })
  })
})

describe('a comparison that another one overtakes', () => {
  it('writes no manifest again that the other one has published', async () => {
    const runId = testbed.publish({ documents: documents(1) })
    const written: string[] = []
    testbed.s3.onWrite = (key) => void written.push(key)
    const result = await testbed.compare(
      {},
      withChanges(({ writeManifest }) => ({
        writeManifest: async (...given) => {
          await testbed.compare()
          return writeManifest(...given)
        },
      })),
    )
    expect(result).toEqual({ status: 'up-to-date', entity: 'CL', tip: runId })
    expect(written.filter((key) => key === setManifestKey('CL', runId))).toHaveLength(1)
  })

  it('does not replace a chain that has begun since', async () => {
    const first = testbed.publish({ documents: documents(1) })
    let newest = ''
    const result = await testbed.compare(
      {},
      withChanges(({ writeLatest }) => ({
        writeLatest: async (...given) => {
          if (newest === '') newest = (await testbed.next({ documents: documents(2) })).manifest.runId
          return writeLatest(...given)
        },
      })),
    )
    expect(newest > first).toBe(true)
    expect(result).toEqual({ status: 'up-to-date', entity: 'CL', tip: newest })
    expect(testbed.chain()?.tip).toBe(newest)
  })
})

describe('a comparison whose tip has lost its manifest', () => {
  it('starts the chain again', async () => {
    const { manifest } = await testbed.next({ documents: documents(1) })
    testbed.s3.objects.delete(setManifestKey('CL', manifest.runId))
    expect((await testbed.next({ documents: documents(2) })).manifest.kind).toBe('reset')
  })
})
