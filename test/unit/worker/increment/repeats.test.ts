import { expect, it } from 'vitest'
import { documentAt, IncrementTestbed } from './increment-testbed.ts'

const hour = 3_600_000

it.each([
  ['writes dates in UTC', 0],
  ['writes local times, 9 hours ahead', 9],
  ['writes local times, 8 hours behind', -8],
])('nothing is delivered twice within two days by a coarse index of a platform that %s', async (_, hours) => {
  const testbed = new IncrementTestbed()
  testbed.documents = [1, 2, 3, 4].map((id) => documentAt(id, 'first', { created: testbed.now }))
  await testbed.sync()
  // Each window returns every document. Every second time only the last one is of the window.
  testbed.ignoresFilter = true
  for (let at = 1; at < 38; at += 2) {
    testbed.now += 2 * hour
    const updated = testbed.now + hours * hour
    testbed.documents[at % 4] = documentAt((at % 4) + 1, at, { created: testbed.now, updated })
    expect(await testbed.increment()).toMatchObject({ status: 'published' })
  }
  expect(testbed.repeats()).toEqual([])
  expect([...testbed.readerState().values()]).toEqual(testbed.documents)
})

it('nothing is delivered again after full sets, which carry on what increments delivered before and after the last one', async () => {
  const testbed = new IncrementTestbed()
  await testbed.begin()
  for (const value of ['second', 'third', 'fourth']) {
    testbed.update(1, value)
    testbed.update(2, value)
    expect(await testbed.increment()).toMatchObject({ records: 2 })
    // The full set replaces a version that an increment delivered.
    testbed.now += 60_000
    testbed.update(2, `${value}, again`)
    await testbed.sync()
    expect(testbed.set()).toMatchObject({ updated: 1 })
    expect(await testbed.increment()).toMatchObject({ records: 0 })
  }
})
