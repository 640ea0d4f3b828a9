import { beforeAll, beforeEach, expect, it } from 'vitest'
import { IncrementTestbed } from './increment-testbed.ts'

const minute = 60_000
let world: IncrementTestbed
let testbed: IncrementTestbed

/** An increment that created document 5, and 100 that updated the others, so that the last one compacted their parts. */
beforeAll(async () => {
  world = new IncrementTestbed()
  await world.begin()
  world.create(5)
  await world.increment()
  for (let at = 0; at < 100; at++) {
    world.update((at % 4) + 1, at)
    await world.increment()
  }
})
beforeEach(() => {
  testbed = world.copy()
})

const partsOfIncrements = () => {
  const set = testbed.set()
  return set.kind === 'increment' && set.incrementParts.length
}

function deleteObjects(part: string): void {
  const { tip, snapshot } = testbed.chain()
  const isNeeded = (key: string) => [tip, snapshot?.runId].some((run) => key.includes(`${run}/manifest`))
  for (const key of testbed.keysOf('changes/CL/'))
    if (key.includes(part) && !isNeeded(key)) testbed.s3.objects.delete(key)
}

it('increments have no more than 100 parts: further ones are compacted', async () => {
  expect(partsOfIncrements()).toBe(1)
  testbed.update(2, 'later')
  await testbed.increment()
  expect(partsOfIncrements()).toBe(2)
  expect(testbed.readerState().get('2')).toBe(testbed.documents[1])
  await testbed.sync()
  expect(testbed.set()).toMatchObject({ unchanged: 5, updated: 0, stateDocuments: 5 })
})

it('a full set deletes what a compacted increment delivered long ago, and protects what one delivered recently', async () => {
  const [first] = testbed.documents
  testbed.documents = testbed.documents.slice(1, 4)
  await testbed.sync()
  expect(testbed.set()).toMatchObject({ deleted: 1, withheld: 1 })
  expect(testbed.records()[0]).toContain('{"op":"d","id":5')
  expect(testbed.readerState().get('1')).toBe(first)
})

it('full sets that are older than compacted increments keep one after the other what these delivered', async () => {
  const openedAt = new Date(testbed.now - 10 * 60 * minute).toISOString()
  testbed.documents.pop()
  for (let snapshot = 0; snapshot < 2; snapshot++) {
    testbed.now += minute
    const { runId } = await testbed.stepToEnd()
    testbed.changeSnapshot(String(runId), (manifest) => ({ ...manifest, openedAt }))
    await testbed.compare(runId ?? '')
    expect(testbed.set()).toMatchObject({ runId, deleted: 0, withheld: 1 })
  }
})

it('a full set deletes nothing of compacted increments if the objects about what they delivered are gone', async () => {
  deleteObjects('/delivered-')
  testbed.documents.pop()
  await testbed.sync()
  expect(testbed.set()).toMatchObject({ deleted: 0, withheld: 1 })
})

it('a full set deletes what was delivered long ago although the manifests of increments are gone', async () => {
  testbed = new IncrementTestbed()
  await testbed.begin()
  testbed.create(5)
  await testbed.increment()
  for (let at = 0; at < 30; at++) {
    testbed.update(1, at)
    await testbed.increment()
  }
  deleteObjects('/manifest.json')
  testbed.documents.pop()
  await testbed.sync()
  expect(testbed.set()).toMatchObject({ deleted: 1, withheld: 0 })
})
