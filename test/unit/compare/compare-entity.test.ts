import { beforeEach, describe, expect, it } from 'vitest'
import { changesLatestKey, changesTableKey } from '../../../stored/changes/change-keys.ts'
import { ChangeSetTestbed, numberedDocuments as documents, withPublisher } from './change-set-testbed.ts'

let testbed: ChangeSetTestbed

beforeEach(() => {
  testbed = new ChangeSetTestbed()
})

const crash = async () => {
  throw new Error('The function crashed.')
}

it('half a day after a set that was not published, a comparison publishes its own, since erasure may delete the old one', async () => {
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
})
