import { beforeEach, describe, expect, it } from 'vitest'
import { changesLatestKey, changesTableKey, setManifestKey } from '../../../stored/changes/change-keys.ts'
import {
  ChangeSetTestbed,
  numberedDocuments as documents,
  withChanges,
  withPublisher,
} from './change-set-testbed.ts'

let testbed: ChangeSetTestbed

beforeEach(() => {
  testbed = new ChangeSetTestbed()
})

const crash = async () => {
  throw new Error('The function crashed.')
}

describe('a comparison after one whose set was not published', () => {
  it('publishes it', async () => {
    await testbed.next({ documents: documents(20) })
    const runId = testbed.publish({ documents: documents(19) })
    testbed.failWrite(changesLatestKey('CL'))
    await expect(testbed.compare()).rejects.toThrow('crashed')
    const left = testbed.set(runId).manifest
    expect(await testbed.compare()).toMatchObject({ status: 'published', runId, deleted: 1 })
    expect(testbed.set(runId).manifest).toEqual(left)
  })

  it('publishes what it finds itself if the one before was half a day ago, since erasure may delete that', async () => {
    await testbed.next({ documents: documents(2) })
    const runId = testbed.publish({ documents: documents(3) })
    testbed.failWrite(changesLatestKey('CL'))
    await expect(testbed.compare()).rejects.toThrow('crashed')
    const [left] = testbed.set(runId).manifest.parts
    testbed.now += 12 * 3_600_000 + 1
    await testbed.compare()
    const [part] = testbed.set(runId).manifest.parts
    expect(part).toEqual({ ...left, key: left?.key.replace('.ndjson', '-1.ndjson') })
  })
})

describe('a comparison after one that crashed before it announced its set', () => {
  it('announces it and lists its parts for Athena', async () => {
    await testbed.next({ documents: documents(1) })
    const runId = testbed.publish({ documents: documents(2) })
    const crashing = testbed.compare(
      { runId },
      withPublisher(({ publishSet }) => ({
        publishSet: async (request) => {
          await publishSet(request)
          testbed.overwrite(changesTableKey('CL'), Buffer.from(''))
          return crash()
        },
      })),
    )
    await expect(crashing).rejects.toThrow('crashed')
    expect(testbed.chain()?.tip).toBe(runId)
    expect(testbed.events).toHaveLength(1)

    expect(await testbed.compare({ runId })).toMatchObject({
      status: 'published',
      runId,
      created: 1,
      parts: 1,
    })
    const { parts } = testbed.set(runId).manifest
    expect(testbed.events.at(-1)).toMatchObject({ type: 'Changes Published', detail: { runId, created: 1 } })
    expect(testbed.text(changesTableKey('CL'))).toBe(`s3://bucket/${parts[0]?.key}\n`)
  })

  it('announces nothing again that was announced', async () => {
    const { manifest } = await testbed.next({ documents: documents(1) })
    for (let repeats = 0; repeats < 2; repeats++)
      expect(await testbed.compare({ runId: manifest.runId })).toMatchObject({ status: 'published' })
    expect(testbed.events).toHaveLength(1)
    await testbed.next({ documents: documents(2) })
    expect(testbed.events).toHaveLength(2)
  })

  it('announces it again if the event could not be sent', async () => {
    const runId = testbed.publish({ documents: documents(1) })
    const failingOnce = testbed.compare({ runId }, (context) => ({ ...context, publishEvent: crash }))
    expect(await failingOnce).toMatchObject({ status: 'published' })
    expect(testbed.events).toHaveLength(0)
    await testbed.compare({ runId })
    expect(testbed.events).toHaveLength(1)
  })

  it('announces it with the next set if the event could not be sent', async () => {
    const first = testbed.publish({ documents: documents(1) })
    await testbed.compare({}, (context) => ({ ...context, publishEvent: crash }))
    const next = testbed.publish({ documents: documents(2) })
    await testbed.compare()
    expect(testbed.events.map(({ detail }) => detail.runId)).toEqual([first, next])
  })

  it('announces nothing again for another run', async () => {
    const { manifest } = await testbed.next({ documents: documents(1) })
    expect(await testbed.compare({ runId: `${manifest.runId}0` })).toMatchObject({ status: 'up-to-date' })
    expect(testbed.events).toHaveLength(1)
  })

  it('starts the chain again if change sets have been off in between', async () => {
    await testbed.next({ documents: documents(2) })
    testbed.publish({ documents: documents(3) })
    const crashing = testbed.compare(
      {},
      withPublisher(() => ({ publishSet: crash })),
    )
    await expect(crashing).rejects.toThrow('crashed')
    const { changes } = testbed
    testbed.changes = false
    await testbed.compare()
    testbed.changes = changes
    expect(await testbed.compare()).toMatchObject({ status: 'published', kind: 'reset' })
  })
})

describe('a comparison that another one overtakes', () => {
  it('writes no manifest again that the other one has published', async () => {
    const runId = testbed.publish({ documents: documents(1) })
    const written: string[] = []
    testbed.s3.onWrite = (key) => void written.push(key)
    const result = await testbed.compare(
      {},
      withChanges(({ writeProposal }) => ({
        writeProposal: async (...given) => {
          await testbed.compare()
          return writeProposal(...given)
        },
      })),
    )
    expect(result).toMatchObject({ status: 'published', runId })
    expect(testbed.events).toHaveLength(1)
    expect(written.filter((key) => key === setManifestKey('CL', runId))).toHaveLength(1)
  })

  it('does not go back to the snapshot that it read before the tip moved', async () => {
    await testbed.next({ documents: documents(1) })
    testbed.publish({ documents: documents(2) })
    let newest = ''
    const result = await testbed.compare(
      {},
      withChanges(({ readLatest }) => ({
        readLatest: async (entity) => {
          if (newest === '') newest = (await testbed.next({ documents: documents(3) })).manifest.runId
          return readLatest(entity)
        },
      })),
    )
    expect(result).toEqual({ status: 'up-to-date', entity: 'CL', tip: newest })
  })

  it('does not replace a chain that has begun since', async () => {
    const first = testbed.publish({ documents: documents(1) })
    let newest = ''
    const result = await testbed.compare(
      {},
      withPublisher(({ publishSet }) => ({
        publishSet: async (request) => {
          if (newest === '') newest = (await testbed.next({ documents: documents(2) })).manifest.runId
          return publishSet(request)
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
