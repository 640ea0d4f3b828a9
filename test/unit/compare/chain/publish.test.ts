import { GetObjectCommand } from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, it } from 'vitest'
import { changesLatestKey, changesTableKey, setManifestKey } from '../../../../stored/changes/change-keys.ts'
import { latestKey } from '../../../../stored/snapshots/manifest.ts'
import {
  ChangeSetTestbed,
  numberedDocuments as documents,
  withChanges,
  withPublisher,
} from '../change-set-testbed.ts'

let testbed: ChangeSetTestbed

beforeEach(() => {
  testbed = new ChangeSetTestbed()
})

const down = async () => {
  throw new Error('S3 is down')
}
const error = expect.objectContaining({ message: 'S3 is down' }) as object

describe('a comparison', () => {
  it('publishes the set although the Athena table cannot be updated', async () => {
    testbed.publish({ documents: documents(1) })
    testbed.failWrite(changesTableKey('CL'))
    expect(await testbed.compare()).toMatchObject({ status: 'published' })
    const crashed = expect.objectContaining({ message: 'The function crashed.' }) as object
    expect(testbed.logged('change set table not updated')).toMatchObject([{ fields: { error: crashed } }])
  })

  it('publishes the set although expired objects cannot be deleted', async () => {
    testbed.publish({ documents: documents(1) })
    const result = await testbed.compare(
      {},
      withChanges(() => ({ deleteKeys: down })),
    )
    expect(result).toMatchObject({ status: 'published' })
    expect(testbed.logged('clean-up failed')).toEqual([
      { level: 'ERROR', message: 'clean-up failed', fields: { entity: 'CL', error } },
    ])
  })

  it('keeps parts of an expired set that the tip needs, to which an increment moved the chain meanwhile', async () => {
    await testbed.next({ documents: documents(1) })
    const [needed = '', unneeded = ''] = ['needed', 'unneeded'].map(
      (part) => `changes/CL/20250101T000000000Z/${part}`,
    )
    for (const key of [needed, unneeded]) testbed.overwrite(key, Buffer.from(''))
    const runId = testbed.publish({ documents: documents(2) })
    const tip = `${runId}0`
    const change = withPublisher(({ publishSet }) => ({
      async publishSet(request) {
        const result = await publishSet(request)
        const write = (key: string, value: object) =>
          testbed.overwrite(key, Buffer.from(JSON.stringify(value)))
        const { manifest } = testbed.set(runId)
        const increment = {
          kind: 'increment',
          runId: tip,
          incrementParts: [],
          withheldParts: [{ key: needed }],
        }
        write(setManifestKey('CL', tip), { ...manifest, ...increment })
        write(changesLatestKey('CL'), { ...testbed.chain(), tip })
        return result
      },
    }))
    expect(await testbed.compare({}, change)).toMatchObject({ status: 'published' })
    expect(testbed.keys('changes/CL/2025')).toEqual([needed])
  })

  it('publishes the set without reading the manifests of sets that the Athena table lists', async () => {
    await testbed.next({ documents: documents(1) })
    await testbed.next({ documents: documents(2) })
    const { manifest: tip } = await testbed.next({ documents: documents(3) })
    const runId = testbed.publish({ documents: documents(4) })
    const read = new Set<string>()
    const send = testbed.s3.send.bind(testbed.s3)
    testbed.s3.send = (command) => {
      if (command instanceof GetObjectCommand) read.add(command.input.Key ?? '')
      return send(command)
    }
    await testbed.compare()
    const manifests = [...read].filter((key) => /^changes\/.*\/manifest\.json$/.test(key))
    expect(manifests.toSorted()).toEqual([tip.runId, runId].map((run) => setManifestKey('CL', run)))
  })
})

describe('an entity whose change sets are off', () => {
  const off = { status: 'off', entity: 'CL' }

  /** Runs with change sets turned off. Returns how often the publisher was asked for a note. */
  async function compareOff(outcomes: readonly boolean[] = []): Promise<number> {
    testbed.changes = false
    let notes = 0
    const change = withPublisher(({ note }) => ({
      note: async (request) => ((outcomes[notes++] ?? true) ? note(request) : { kind: 'outdated' }),
    }))
    expect(await testbed.compare({}, change)).toEqual(off)
    return notes
  }

  it('records once that a publication was not compared', async () => {
    const { manifest } = await testbed.next({ documents: documents(1) })
    testbed.publish({ documents: documents(2) })
    expect(await compareOff()).toBe(1)
    expect(testbed.chain()).toMatchObject({ tip: manifest.runId, reset: 'Change sets were turned off.' })
    testbed.publish({ documents: documents(3) })
    expect(await compareOff()).toBe(0)
  })

  it('records it although increments have moved the tip since', async () => {
    const { manifest } = await testbed.next({ documents: documents(1) })
    const runId = testbed.publish({ documents: documents(2) })
    const chain = { ...testbed.chain(), tip: `${runId}0`, snapshot: { runId: manifest.runId } }
    testbed.overwrite(changesLatestKey('CL'), Buffer.from(JSON.stringify(chain)))
    expect(await compareOff()).toBe(1)
    expect(testbed.chain()).toMatchObject({ reset: 'Change sets were turned off.' })
  })

  it('records it although another comparison wrote the chain at the same time', async () => {
    await testbed.next({ documents: documents(1) })
    testbed.publish({ documents: documents(2) })
    expect(await compareOff([false])).toBe(2)
    expect(testbed.chain()).toMatchObject({ reset: 'Change sets were turned off.' })
  })

  it('has nothing to record without a chain', async () => {
    testbed.publish({ documents: documents(1) })
    expect(await compareOff()).toBe(0)
  })

  it('has nothing to record without a snapshot', async () => {
    await testbed.next({ documents: documents(1) })
    testbed.s3.objects.delete(latestKey('CL'))
    expect(await compareOff()).toBe(0)
  })
})
