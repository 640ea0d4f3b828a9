import { hash } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { changesLatestKey } from '../../../stored/changes/change-keys.ts'
import { latestKey, type Manifest, manifestKey, runPrefix } from '../../../stored/snapshots/manifest.ts'
import { ChangeSetTestbed, type PublishedSnapshot, withChanges } from './change-set-testbed.ts'

let testbed: ChangeSetTestbed

beforeEach(() => {
  testbed = new ChangeSetTestbed()
})

const documents = (count: number, value = 0) =>
  Array.from({ length: count }, (_, id) => `{"id":"${id}","v":${value}}`)

/** Changes the manifest of a snapshot, as if it had been published like that. */
function changeManifest(runId: string, change: Partial<Manifest>): void {
  const replace = (key: string, member: object) =>
    testbed.overwrite(key, Buffer.from(JSON.stringify({ ...JSON.parse(testbed.text(key) ?? ''), ...member })))
  const key = manifestKey('CL', runId)
  replace(key, change)
  if (testbed.text(latestKey('CL'))?.includes(key))
    replace(latestKey('CL'), { sha256: hash('sha256', testbed.text(key) ?? '') })
}

/** Records the keys of the objects that a comparison reads. */
const recordReads = (read: string[]) =>
  withChanges(({ readObject }) => ({
    readObject: (key) => {
      read.push(key)
      return readObject(key)
    },
  }))

/** Publishes a snapshot, whose comparison stops after the publisher has counted it. */
async function publishCounted(snapshot: PublishedSnapshot): Promise<string> {
  const runId = testbed.publish(snapshot)
  testbed.failWrite(changesLatestKey('CL'))
  await expect(testbed.compare()).rejects.toThrow('crashed')
  return runId
}

const checkOf = (runId: string) => `${runPrefix('CL', runId)}check-listed-p000001.bin`
const pageOf = (runId: string, page: number) => `${runPrefix('CL', runId)}a1-p${page}.ndjson.gz`

describe('a comparison', () => {
  it('reads what the publisher has counted, and the pages with documents that differ', async () => {
    const { manifest } = await testbed.next({ documents: documents(10) })
    const runId = await publishCounted({ documents: documents(10).with(4, '{"id":"4","v":"other"}') })
    const read: string[] = []
    expect(await testbed.compare({}, recordReads(read))).toMatchObject({ updated: 1, unchanged: 9 })
    expect(read).toEqual(
      [manifest.runId, runId].map(checkOf).concat(pageOf(manifest.runId, 1), pageOf(runId, 1)),
    )
  })

  it('reads a page that is no longer the object that the publisher has counted', async () => {
    const { manifest } = await testbed.next({ documents: documents(10) })
    const runId = await publishCounted({ documents: documents(9) })
    const key = pageOf(runId, 2)
    testbed.s3.objects.set(key, {
      body: testbed.s3.objects.get(key)?.body ?? Buffer.alloc(0),
      etag: '"other"',
    })
    const read: string[] = []
    expect(await testbed.compare({}, recordReads(read))).toMatchObject({ status: 'published', deleted: 1 })
    expect(read).toEqual([...[manifest.runId, runId].map(checkOf), key, pageOf(manifest.runId, 3)])
  })

  it.each([
    ['cut off', (text: string) => text.slice(0, -1), 'is damaged'],
    ['not JSON', () => 'damaged\n', 'is damaged'],
    ['of another version', (text: string) => text.replace('"version":1', '"version":2'), 'is damaged'],
    ['about another page', (text: string) => text.replace('"sha256":"', '"sha256":"0'), 'has another hash'],
  ])('fails if what the publisher has counted is %s, and never starts the chain again', async (...given) => {
    const [, change, reason] = given
    const { manifest } = await testbed.next({ documents: documents(3) })
    testbed.publish({ documents: documents(2) })
    const key = checkOf(manifest.runId)
    const body = testbed.s3.objects.get(key)?.body ?? Buffer.alloc(0)
    testbed.overwrite(key, Buffer.from(change(body.toString('latin1')), 'latin1'))
    expect(await testbed.compare()).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining(`The object ${key} ${reason}`) as string,
    })
    expect(testbed.chain()?.failures).toBeNull()
    testbed.s3.objects.delete(key)
    expect(await testbed.compare()).toMatchObject({ status: 'published', deleted: 1 })
  })

  it.each([
    ['the base has other documents', 0, { documents: 4 }, /have 3 documents; its manifest has 4/],
    ['the snapshot has other documents', 1, { documents: 1 }, /have 2 documents; its manifest has 1/],
    ['the snapshot has fewer unique ids', 1, { uniqueIds: 3 }, /has 2 unique ids; its manifest has 3/],
  ] as const)('fails if %s', async (...[, side, change, reason]) => {
    const { manifest } = await testbed.next({ documents: documents(3) })
    const runId = testbed.publish({ documents: documents(2) })
    changeManifest([manifest.runId, runId][side] ?? '', change)
    expect(await testbed.compare()).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(reason) as string,
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
