import { DeleteObjectsCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, it } from 'vitest'
import { checkKey } from '../../../../functions/publisher/check/entries.ts'
import {
  checkedManifestKey,
  evidenceKey,
  latestKey,
  manifestKey,
  runPrefix,
  schemaChangesKey,
  schemaReportKey,
} from '../../../../stored/snapshots/manifest.ts'
import { ChangeSetTestbed, numberedDocuments } from '../change-set-testbed.ts'

const dayMs = 24 * 60 * 60_000

let testbed: ChangeSetTestbed
beforeEach(() => {
  testbed = new ChangeSetTestbed()
  testbed.eraseWithinDays = 8
  testbed.s3.now = () => testbed.now
})

async function passDays(days: number) {
  for (let day = 0; day < days; day++) {
    testbed.now += dayMs
    await testbed.erase()
  }
}

describe('while nothing is published', () => {
  it('the published snapshot stays, and the task reports that erasure waits', async () => {
    const first = await testbed.next({ documents: numberedDocuments(5) })
    const second = await testbed.next({ documents: numberedDocuments(4) })
    for (const { manifest } of [first, second])
      for (const keyOf of [
        schemaReportKey,
        schemaChangesKey,
        evidenceKey,
        checkedManifestKey,
        (entity: string, runId: string) => checkKey(runPrefix(entity, runId), 'listed', 1),
      ])
        testbed.overwrite(keyOf('CL', manifest.runId), Buffer.from('{}'))
    const pages = testbed.keys(`snapshots/CL/${second.manifest.runId}/`)
    await passDays(8)
    expect(await testbed.erase()).toMatchObject({ waiting: [] })
    testbed.now += 1
    expect(await testbed.erase()).toMatchObject({ status: 'erased', entities: 1, waiting: ['CL'] })
    expect(testbed.logged('erasure waits')).toMatchObject([{ fields: { entity: 'CL' } }])
    expect(testbed.logged('erasure ended').at(-1)?.fields).toMatchObject({ waiting: 1 })
    expect(testbed.keys('snapshots/CL/')).toEqual([...pages, latestKey('CL')])
    expect(testbed.keys(`changes/CL/${first.manifest.runId}/`)).toEqual([])
  })

  it('what its run left besides the published snapshot is erased', async () => {
    const { manifest } = await testbed.next({ documents: numberedDocuments(5) })
    const left = `snapshots/CL/${manifest.runId}/a0-left.ndjson.gz`
    const leftCheck = checkKey(runPrefix('CL', manifest.runId), 'a0', 1)
    for (const Key of [left, leftCheck])
      await testbed.s3.send(new PutObjectCommand({ Bucket: 'bucket', Key, Body: 'left' }))
    const [page = ''] = testbed.keys(`snapshots/CL/${manifest.runId}/a1`)
    const body = testbed.s3.objects.get(page)?.body ?? ''
    await testbed.s3.send(new PutObjectCommand({ Bucket: 'bucket', Key: page, Body: body }))
    const versionsOf = (key: string) => testbed.s3.versions.filter((version) => version.key === key).length
    const versions = () => [left, leftCheck, page].map(versionsOf)
    expect(versions()).toEqual([1, 1, 2])
    await passDays(8)
    expect(versions()).toEqual([0, 0, 1])
  })

  it('the newest set leaves the chain, and the next one continues from the tip', async () => {
    await testbed.next({ documents: numberedDocuments(5) })
    const second = await testbed.next({ documents: numberedDocuments(4) })
    expect(second.manifest).toMatchObject({ absentSince: second.manifest.runId })
    await passDays(8)
    expect(testbed.chain()).toMatchObject({ tip: second.manifest.runId, sets: [], reset: null })
    expect(testbed.text('tables/CL.changes/parts.txt')).toBe('')
    expect(testbed.keys('changes/CL/')).toEqual([
      `changes/CL/${second.manifest.runId}/manifest.json`,
      'changes/CL/latest.json',
    ])
    const third = await testbed.next({ documents: numberedDocuments(6) })
    expect(third.manifest).toMatchObject({ kind: 'changes', base: second.manifest.runId, created: 2 })
  })

  it('withheld documents are erased, and the chain starts again with the reason', async () => {
    await testbed.next({ documents: numberedDocuments(5) })
    const { manifest } = await testbed.next({ documents: numberedDocuments(4), proof: 'within-tolerance' })
    expect(manifest).toMatchObject({ withheld: 1, withheldSince: manifest.runId })
    await passDays(7)
    expect(testbed.keys('changes/CL/')).toEqual(['changes/CL/latest.json'])
    const next = await testbed.next({ documents: numberedDocuments(4) })
    expect(next.manifest).toMatchObject({
      kind: 'reset',
      reason: "The tip's withheld documents were erased because of eraseWithinDays.",
    })
  })
})

it('withheld documents are as old as the snapshot that first lacked them, whatever was withheld and deleted before', async () => {
  await testbed.next({ documents: numberedDocuments(5) })
  const without = (documents: number) =>
    testbed.next({ documents: numberedDocuments(documents), proof: 'within-tolerance' })
  const [first, second, third] = [await without(4), await without(3), await without(3)]
  expect(first.manifest).toMatchObject({ withheld: 1, withheldSince: first.manifest.runId })
  expect(second.manifest).toMatchObject({ deleted: 1, withheld: 1, withheldSince: second.manifest.runId })
  expect(third.manifest).toMatchObject({ deleted: 1, withheld: 0 })
})

it('a tip that comparisons fail to move is erased, and the chain starts again with the reason', async () => {
  testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 5 }
  const { manifest } = await testbed.next({ documents: numberedDocuments(50) })
  for (let day = 0; day < 6; day++) {
    testbed.publish({ documents: numberedDocuments(20) })
    expect(await testbed.compare()).toMatchObject({ status: 'refused' })
    await testbed.erase()
  }
  expect(testbed.keys(`snapshots/CL/${manifest.runId}/`)).toEqual([])
  const next = await testbed.next({ documents: numberedDocuments(20) })
  expect(next.manifest).toMatchObject({
    kind: 'reset',
    reason: "The tip's snapshot was erased because of eraseWithinDays.",
  })
})

it('what a comparison refused is erased with the snapshot that it would have to be compared with', async () => {
  testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 5 }
  await testbed.next({ documents: numberedDocuments(50) })
  const runId = testbed.publish({ documents: numberedDocuments(20) })
  expect(await testbed.compare()).toMatchObject({ status: 'refused' })
  const objects = () => testbed.keys(`changes/CL/${runId}/`)
  await passDays(4)
  expect(objects()).toHaveLength(2)
  await passDays(4)
  expect(objects()).toEqual([])
})

it('what a comparison refused is erased once the chain has its snapshot, or a newer one: nobody can accept it', async () => {
  testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 5 }
  await testbed.next({ documents: numberedDocuments(50) })
  const refused = async () => {
    const runId = testbed.publish({ documents: numberedDocuments(20) })
    expect(await testbed.compare()).toMatchObject({ status: 'refused' })
    return runId
  }
  const runId = await refused()
  await testbed.next({ documents: numberedDocuments(50) })
  const accepted = await refused()
  expect(await testbed.compare({ acceptDeletes: true })).toMatchObject({ status: 'published' })
  await passDays(2)
  expect(testbed.keys(`changes/CL/${runId}/`)).toEqual([])
  const kept = testbed.keys(`changes/CL/${accepted}/`)
  expect(kept.filter((key) => !/\/(manifest|records-)/.test(key))).toEqual([])
})

it('an entity that fails does not stop the others, and fails the task', async () => {
  const { manifest } = await testbed.next({ documents: numberedDocuments(5) })
  testbed.s3.objects.delete(manifestKey('CL', manifest.runId))
  testbed.overwrite('snapshots/AD/20250101T000000000Z-0123456789ab/page.ndjson.gz', Buffer.from('old'))
  testbed.now += 20 * dayMs
  testbed.s3.versions = testbed.s3.versions.map((version) => ({ ...version, writtenAt: new Date(0) }))
  await expect(testbed.erase()).rejects.toThrow('Erasure failed for CL.')
  expect(testbed.keys('snapshots/AD/')).toEqual([])
  expect(testbed.keys('snapshots/CL/').length).toBeGreaterThan(1)
})

/** What the bucket is asked for. */
async function requestsOf(publications: number) {
  testbed = new ChangeSetTestbed()
  testbed.eraseWithinDays = 30
  testbed.s3.now = () => testbed.now
  testbed.s3.pageKeys = 1000
  for (let count = 0; count < publications; count++)
    await testbed.next({ documents: numberedDocuments(5 + (count % 2)), afterMs: dayMs / 4 })
  const sent: string[] = []
  const execute = testbed.s3.execute.bind(testbed.s3)
  testbed.s3.execute = (command) => {
    sent.push(command.constructor.name)
    return execute(command)
  }
  await testbed.erase()
  return Map.groupBy(sent, (name) => name)
}

it('the requests of a pass list the versions of an entity once for snapshots and once for change sets, however many there are', async () => {
  const few = await requestsOf(4)
  const many = await requestsOf(100)
  // The folders of all entities are four more.
  expect(few.get('ListObjectVersionsCommand')).toHaveLength(6)
  expect(many.get('ListObjectVersionsCommand')).toHaveLength(6)
  expect(many.get('DeleteObjectsCommand')?.length ?? 0).toBeLessThanOrEqual(3)
})

it('what a pass erases of many sets is deleted together', async () => {
  testbed.changes = { ignore: [], maxDeletePercent: 100, keepDays: 5 }
  for (let count = 0; count < 40; count++)
    await testbed.next({ documents: numberedDocuments(5 + (count % 2)), afterMs: dayMs / 4 })
  testbed.now += 3 * dayMs
  await testbed.erase()
  testbed.now += dayMs
  const deletes: number[] = []
  const execute = testbed.s3.execute.bind(testbed.s3)
  testbed.s3.execute = (command) => {
    if (command instanceof DeleteObjectsCommand) deletes.push(command.input.Delete?.Objects?.length ?? 0)
    return execute(command)
  }
  await testbed.erase()
  expect(deletes.length).toBeLessThanOrEqual(4)
  expect(Math.max(...deletes)).toBeGreaterThan(10)
})
