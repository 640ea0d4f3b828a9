import { beforeEach, expect, it } from 'vitest'
import { newRunId } from '../../../../stored/run/run.ts'
import { stepRequest } from '../worker-testbed.ts'
import { documentAt, IncrementTestbed } from './increment-testbed.ts'

const minute = 60_000
let testbed: IncrementTestbed

beforeEach(async () => {
  testbed = new IncrementTestbed()
  await testbed.begin()
})

it('a refused set that is accepted hours later deletes nothing that the review did not show, and keeps what increments delivered before the tip', async () => {
  for (let id = 5; id <= 20; id++) testbed.documents.push(documentAt(id, 'first', { created: testbed.old }))
  await testbed.sync()
  testbed.create(30)
  await testbed.increment()
  await testbed.sync()
  testbed.refuseDeletes()
  // The index of this snapshot still lacks the new document.
  testbed.documents.length = 4
  const run = await testbed.sync()
  expect(testbed.chain().tip).not.toBe(run)
  // A document that the review showed is back, and later windows no longer return the new one.
  testbed.create(20)
  await testbed.increment(3 * 60 * minute)
  expect(testbed.readerState().has('30')).toBe(true)
  await testbed.compare(run, { reviewed: 'set', runId: run, by: 'alice' })
  expect(testbed.chain().tip).toBe(run)
  expect(testbed.set()).toMatchObject({ deleted: 15, withheld: 2 })
  expect([...testbed.readerState().keys()].toSorted()).toEqual(['1', '2', '20', '3', '30', '4'])
})

it('several snapshots that were opened before a document became visible keep it one after the other, although a later window has forgotten it', async () => {
  testbed.now += 10 * minute
  const openedAt = new Date(testbed.now).toISOString()
  testbed.create(5)
  await testbed.increment()
  await testbed.sync()
  testbed.update(1, 'second', testbed.now + 119 * minute)
  expect(await testbed.increment(2 * 60 * minute)).toMatchObject({ records: 1 })
  testbed.documents.pop()
  for (let snapshot = 0; snapshot < 3; snapshot++) {
    testbed.now += minute
    const { runId } = await testbed.stepToEnd()
    testbed.changeSnapshot(String(runId), (manifest) => ({ ...manifest, openedAt }))
    await testbed.compare(runId ?? '')
    expect(testbed.set()).toMatchObject({ runId, deleted: 0, withheld: 1 })
  }
  await testbed.sync()
  expect(testbed.set()).toMatchObject({ deleted: 1, withheld: 0 })
})

it('a snapshot that was opened before two increments leaves the newer of the versions that they delivered to be remembered', async () => {
  const openedAt = new Date(testbed.now).toISOString()
  testbed.create(5)
  testbed.update(1, 'second')
  await testbed.increment()
  testbed.update(1, 'third', testbed.now + 119 * minute)
  await testbed.increment(2 * 60 * minute)
  const { runId } = await testbed.stepToEnd()
  testbed.changeSnapshot(String(runId), (manifest) => ({ ...manifest, openedAt }))
  await testbed.compare(runId ?? '')
  expect(testbed.set()).toMatchObject({ runId, unchanged: 5 })
  expect(await testbed.increment()).toMatchObject({ records: 0 })
})

it('a refused set that is accepted after a further increment deletes what an increment had delivered before the review, which shows it', async () => {
  for (let id = 5; id <= 20; id++) testbed.documents.push(documentAt(id, 'first', { created: testbed.old }))
  await testbed.sync()
  testbed.create(30)
  await testbed.increment()
  testbed.refuseDeletes()
  testbed.documents.length = 4
  testbed.now += 3 * 60 * minute
  const run = await testbed.sync()
  expect(testbed.chain().tip).not.toBe(run)
  testbed.update(1, 'second')
  expect(await testbed.increment()).toMatchObject({ records: 1 })
  await testbed.compare(run, { reviewed: 'set', runId: run, by: 'alice' })
  expect(testbed.set()).toMatchObject({ runId: run, deleted: 17 })
  expect([...testbed.readerState().values()]).toEqual(testbed.documents)
})

it('a refused set of a snapshot that was published again deletes what the review showed, also if an increment has delivered it since, and nothing that came later', async () => {
  const from = testbed.chain().tip
  for (let id = 5; id <= 20; id++) testbed.documents.push(documentAt(id, 'first', { created: testbed.old }))
  await testbed.sync()
  testbed.refuseDeletes()
  testbed.now += minute
  const republish = { kind: 'republish', from, acceptShrink: true } as const
  const { runId } = await testbed.stepToEnd(stepRequest(newRunId(testbed.now), republish))
  const run = runId ?? ''
  expect(await testbed.compare(run)).toMatchObject({ status: 'refused' })
  testbed.update(7, 'second')
  testbed.create(30)
  expect(await testbed.increment()).toMatchObject({ records: 2 })
  await testbed.compare(run, { reviewed: 'set', runId: run, by: 'alice' })
  expect(testbed.set()).toMatchObject({ runId: run, deleted: 16, withheld: 1 })
  expect(testbed.readerState().has('7')).toBe(false)
  expect(testbed.readerState().has('30')).toBe(true)
})

it('a document that a full set deleted is delivered again with the same content, although no field of it counts but its id and value', async () => {
  testbed.entity = {
    ...testbed.entity,
    changes: { ignore: ['createdIn', 'updatedIn'], maxDeletePercent: 100, keepDays: 30 },
  }
  await testbed.sync()
  testbed.create(5)
  await testbed.increment()
  testbed.documents.pop()
  testbed.now += 62 * minute
  await testbed.sync()
  expect(testbed.set()).toMatchObject({ deleted: 1 })
  testbed.create(5)
  expect(await testbed.increment()).toMatchObject({ records: 1 })
  expect(testbed.readerState().has('5')).toBe(true)
})
