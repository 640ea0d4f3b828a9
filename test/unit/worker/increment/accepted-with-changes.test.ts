import { beforeEach, describe, expect, it } from 'vitest'
import { endedBecause } from '../../../ended-because.ts'
import { IncrementTestbed } from './increment-testbed.ts'

const by = 'alice'
let testbed: IncrementTestbed

/** The next snapshot, which a person accepts with its change set, has the first two of the documents. */
async function acceptNext() {
  testbed.documents.length = 2
  // Late enough that the snapshot cannot be older than what increments have delivered.
  testbed.now += 24 * 3_600_000
  const response = await testbed.stepToEnd()
  const runId = response.runId ?? ''
  return testbed.compare(runId, { reviewed: 'snapshot', runId, by })
}

beforeEach(async () => {
  testbed = new IncrementTestbed()
  testbed.entity = { ...testbed.entity, maxShrinkPercent: 100 }
  await testbed.begin()
  for (let id = 5; id <= 14; id++) testbed.create(id, testbed.old)
  await testbed.sync()
  testbed.entity = { ...testbed.entity, changes: { ignore: ['seen'], maxDeletePercent: 10, keepDays: 30 } }
})

describe('after increments, the change set of a snapshot that was accepted with it', () => {
  it('deletes documents that increments changed: the review showed their older versions', async () => {
    for (let id = 3; id <= 14; id += 2) testbed.update(id, 'changed')
    await testbed.increment()
    expect(await acceptNext()).toMatchObject({ status: 'published', deleted: 12, by })
  })

  it('is refused as usual if it deletes a document that only an increment delivered', async () => {
    testbed.create(15)
    await testbed.increment()
    expect(await acceptNext()).toMatchObject(
      endedBecause('refused', /^The change set deletes 13 of 15 documents/),
    )
  })
})
