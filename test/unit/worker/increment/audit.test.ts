import { beforeEach, describe, expect, it } from 'vitest'
import { documentAt, IncrementTestbed } from './increment-testbed.ts'

const minute = 60_000
let testbed: IncrementTestbed

beforeEach(async () => {
  testbed = new IncrementTestbed()
  await testbed.begin()
})

describe('the audit of a full set', () => {
  it('counts what increments missed and what they cannot see', async () => {
    await testbed.increment()
    testbed.update(1, 'late', testbed.now - minute)
    testbed.documents[1] = documentAt(2, 'silent', { created: testbed.old })
    await testbed.sync()
    expect(testbed.set()).toMatchObject({ updated: 2, missedByIncrements: 1, invisibleToIncrements: 1 })
  })

  it('does not count a withheld document that returns, which increments had delivered', async () => {
    testbed.create(5)
    await testbed.increment()
    const [last = ''] = testbed.documents.splice(4)
    await testbed.sync()
    expect(testbed.set()).toMatchObject({ withheld: 1 })
    await testbed.increment()
    testbed.documents.push(last)
    await testbed.sync()
    expect(testbed.set()).toMatchObject({ updated: 1, missedByIncrements: 0, invisibleToIncrements: 0 })
  })

  it('counts nothing of a rollback, which increments could not deliver', async () => {
    const [deleted = ''] = testbed.documents.splice(0, 1)
    await testbed.sync()
    await testbed.increment()
    testbed.documents.unshift(deleted)
    const runId = (await testbed.stepToEnd()).runId ?? ''
    testbed.changeSnapshot(runId, (manifest) => ({
      ...manifest,
      republishedFrom: 'the first run',
    }))
    await testbed.compare(String(runId))
    expect(testbed.set()).toMatchObject({ created: 1, missedByIncrements: 0, invisibleToIncrements: 0 })
  })
})
