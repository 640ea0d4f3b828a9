import { beforeEach, describe, expect, it } from 'vitest'
import { createdAt, isScroll, PartitionsTestbed } from './partitions-testbed.ts'
import { statusResponse } from './worker-testbed.ts'

const minute = 60_000
const day = 24 * 60 * minute
let testbed: PartitionsTestbed

beforeEach(() => {
  testbed = new PartitionsTestbed()
})
describe('a run in ranges', () => {
  it('publishes the documents of all ranges, and describes the ranges in the manifest', async () => {
    const request = testbed.next()
    expect(await testbed.step(request)).toMatchObject({
      status: 'published',
      proof: 'exact',
      total: 9,
      suspect: false,
    })
    const manifest = await testbed.manifestOf(request.driver.runId)
    const boundary = manifest?.partitionedBy?.boundaries[0]
    expect(manifest).toMatchObject({
      attempts: 1,
      uniqueIds: 9,
      reportedTotal: 9,
      pageSize: 2,
      partitionedBy: {
        by: 'createdIn',
        count: 2,
        boundaries: [expect.any(String)],
        searchedAt: expect.any(String) as string,
        absences: 'proven',
      },
      partitions: [
        { where: `(createdIn < ${boundary} OR createdIn = ${boundary})`, attempts: 1 },
        { where: `(createdIn > ${boundary} OR createdIn = ${boundary})`, attempts: 1 },
        { where: '(createdIn is null)', documents: 1, reportedTotal: 1, attempts: 1 },
      ],
    })
    const [low, high, withoutValue] = manifest?.partitions ?? []
    const partitions = [withoutValue, low, high]
    expect(await testbed.runOf(request.driver.runId)).toMatchObject({
      rangeProgress: partitions.map((range) => ({
        documents: range?.documents,
        total: range?.reportedTotal,
      })),
    })
    expect(Date.parse(manifest?.openedAt ?? '')).toBeLessThan(Date.parse(manifest?.finishedAt ?? ''))
    expect(manifest?.spent?.requests).toBe(testbed.targets.length)
    expect(testbed.logged('scrolling without partitions')).toEqual([])
    expect(testbed.logged('ranges planned')).toMatchObject([
      { level: 'INFO', fields: { entity: 'CL', runId: request.driver.runId, total: 9, coverage: 'exact' } },
    ])
  })

  it('is planned although the platform reports totals with a space, as in the field', async () => {
    testbed.platform.rangeSeparator = ' '
    const request = testbed.next()
    expect(await testbed.step(request)).toMatchObject({ status: 'published', proof: 'exact' })
    expect(await testbed.rangesOf(request.driver.runId)).toHaveLength(3)
  })

  it('reuses the boundaries of the last snapshot while the field is the same', async () => {
    await testbed.step(testbed.next())
    const planned = testbed.targets.filter((target) => target.includes('/search')).length
    testbed.now += day
    const request = testbed.next()
    await testbed.step(request)
    const again = testbed.targets.filter((target) => target.includes('/search')).length - planned
    // The whole twice, three ranges and twice a boundary without documents; each range once more when it is opened.
    expect(again).toBe(10)
    testbed.entity = { ...testbed.entity, partitions: { by: 'birthIn', count: 2 } }
    testbed.now += day
    const other = testbed.next()
    await testbed.step(other)
    expect(await testbed.runOf(other.driver.runId)).toMatchObject({ split: { kind: 'fallback' } })
  })

  it.each([
    ['another number of them', { by: 'createdIn', count: 4 }, 5],
    ['another field', { by: 'bornIn', count: 2 }, 3],
  ])('looks for boundaries again after the configuration asks for %s', async (_, partitions, ranges) => {
    testbed.documents = Array.from(
      { length: 8 },
      (_, id) => `{"id":${id},"createdIn":"${createdAt(id)}","bornIn":"19${60 + id}-01-01T00:00:00.000Z"}`,
    )
    await testbed.step(testbed.next())
    testbed.entity = { ...testbed.entity, partitions }
    testbed.now += day
    const request = testbed.next()
    expect(await testbed.step(request)).toMatchObject({ status: 'published' })
    expect(await testbed.manifestOf(request.driver.runId)).toMatchObject({
      partitionedBy: { ...partitions, boundaries: { length: partitions.count - 1 } },
      partitions: { length: ranges },
    })
  })

  it('waits if all of its ranges wait', async () => {
    testbed.respond = (_, url) => (isScroll(url) ? statusResponse(429, { 'retry-after': '180' }) : undefined)
    const request = testbed.next()
    const reason = expect.stringContaining('429') as string
    expect(await testbed.step(request)).toEqual({
      status: 'waiting',
      entity: 'CL',
      runId: request.driver.runId,
      reason,
      waitSeconds: expect.closeTo(170, -2) as number,
    })
    expect(await testbed.runOf(request.driver.runId)).toMatchObject({
      status: 'waiting',
      reason,
      split: { kind: 'ranges' },
    })
    const waitingRange = { entity: 'CL', runId: request.driver.runId, attempt: 1, reason, waitSeconds: 180 }
    expect(testbed.logged('range waiting')).toMatchObject(
      [0, 1, 2].map((range) => ({ level: 'WARN', fields: { ...waitingRange, range } })),
    )
    // It keeps its slots while it waits.
    testbed.now += 3 * minute
    const slot = { now: testbed.now, until: testbed.now + 1 }
    expect(await testbed.state.takeScrollSlot({ runId: 'other', range: 0 }, 3, slot)).toBe(false)
    testbed.respond = () => undefined
    expect(await testbed.step(request)).toMatchObject({ status: 'published' })
  })
})
