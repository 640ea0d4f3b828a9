import { beforeEach, describe, expect, it } from 'vitest'
import { filterOf, isScroll, isSearch, PartitionsTestbed } from './partitions-testbed.ts'

let testbed: PartitionsTestbed

beforeEach(() => {
  testbed = new PartitionsTestbed()
})

it.each([
  ['search', isSearch, 1],
  ['scroll', isScroll, 3],
])('a run in ranges sends nothing more after it was cancelled during a %s', async (_, isKind, most) => {
  testbed.requestMs = 5_000
  const request = testbed.next()
  let cancelling: Promise<unknown> | undefined
  testbed.respond = (_, url) => {
    if (isKind(url)) cancelling ??= testbed.cancel(request.driver.runId)
    return undefined
  }
  expect(await testbed.step(request)).toMatchObject({ status: 'cancelled' })
  await cancelling
  const ofKind = testbed.targets.filter((target) => isKind(new URL(target, 'http://x')))
  expect(ofKind.length).toBeLessThanOrEqual(most)
})

describe('ranges whose totals add up by coincidence', () => {
  /** The filter of the last range also finds document 0, and none finds document 7. */
  beforeEach(() => {
    testbed.entity = { ...testbed.entity, pageSize: 10 }
    const { documents } = testbed
    const moved = documents.map((one) => one.replace('"id":7,', '"id":0,'))
    testbed.respond = (_, url) => {
      testbed.documents = filterOf(url).includes('createdIn > ') ? moved : documents
      return undefined
    }
  })

  it('do not prove that a missing document was deleted, and the next run is not split', async () => {
    const request = testbed.next()
    expect(await testbed.step(request)).toMatchObject({ status: 'published', proof: 'within-tolerance' })
    const { runId } = request.driver
    expect((await testbed.manifestOf(runId))?.partitionedBy).toMatchObject({
      absences: 'unknown',
      overlapping: 1,
    })
    testbed.now += 86_400_000
    const next = testbed.next()
    expect(await testbed.step(next)).toMatchObject({ status: 'published', documents: 9 })
    expect(await testbed.runOf(next.driver.runId)).toMatchObject({
      split: {
        kind: 'fallback',
        reason: expect.stringContaining('1 document was in two ranges of createdIn'),
      },
    })
  })
})
