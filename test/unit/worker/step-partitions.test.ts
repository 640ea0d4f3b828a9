import { beforeEach, describe, expect, it } from 'vitest'
import { UpstreamFailure } from '../../../functions/upstream/errors.ts'
import { positionsOf, progressOver, recordedPositions } from '../../../stored/run/attempts.ts'
import { entityNamed } from '../../entity-named.ts'
import { createdAt, filterOf, isScroll, PartitionsTestbed } from './partitions-testbed.ts'
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

  it('scrolls only the failed range again', async () => {
    let failures = 0
    testbed.respond = (_, url) => {
      const isLater = isScroll(url) && url.searchParams.has('_token')
      return isLater && ++failures === 2 ? statusResponse(404) : undefined
    }
    const request = testbed.next()
    expect(await testbed.step(request)).toMatchObject({ status: 'published', proof: 'exact' })
    const manifest = await testbed.manifestOf(request.driver.runId)
    expect(manifest?.attempts).toBe(2)
    expect(manifest?.partitions?.map(({ attempts }) => attempts).toSorted()).toEqual([1, 1, 2])
    expect(testbed.logged('attempt given up')).toMatchObject([
      { level: 'WARN', fields: { entity: 'CL', runId: request.driver.runId, attempt: 1 } },
    ])
    expect((await testbed.rangesOf(request.driver.runId)).map(({ cleanCounts }) => cleanCounts)).toEqual([
      [],
      [],
      [],
    ])
  })

  it('marks only the range whose request timed out as suspect', async () => {
    let failures = 0
    testbed.respond = (_, url) => {
      if (isScroll(url) && url.searchParams.has('_token') && ++failures === 1)
        throw new UpstreamFailure('timeout')
      return undefined
    }
    const request = testbed.next()
    expect(await testbed.step(request)).toMatchObject({ status: 'published', proof: 'exact' })
    const ranges = await testbed.rangesOf(request.driver.runId)
    expect(ranges.filter(({ suspect }) => suspect)).toHaveLength(1)
    expect((await testbed.runOf(request.driver.runId))?.faults).toEqual({ timeout: 1 })
  })

  it('hands off and continues its ranges from their pages', async () => {
    testbed.requestMs = 40_000
    const request = testbed.next()
    const first = await testbed.step(request)
    expect(first).toEqual({ status: 'running', entity: 'CL', runId: request.driver.runId })
    const run = await testbed.runOf(request.driver.runId)
    const { progress } = await testbed.state.readEntity('CL')
    const positions = run ? await positionsOf(testbed.state, run) : []
    expect(positions.some((position) => position !== undefined)).toBe(true)
    expect(run && progressOver(run, recordedPositions(run, progress))).toEqual(
      run && progressOver(run, positions),
    )
    expect(await testbed.stepToEnd(request)).toMatchObject({ status: 'published', proof: 'exact' })
    const opened = testbed.targets.filter((target) => target.includes('_size'))
    expect(opened).toHaveLength(3)
    expect(testbed.logged('range waiting')).toEqual([])
  })

  it('continues after a hand-off only the ranges that are not proven', async () => {
    testbed.maxConcurrentScrolls = 1
    testbed.requestMs = 40_000
    const request = testbed.next()
    await testbed.step(request)
    const states = (await testbed.rangesOf(request.driver.runId)).map(({ state }) => state)
    expect(states.filter((state) => state === 'open')).toHaveLength(1)
    const open = states.flatMap((state, range) => (state === 'proven' ? [] : [range]))
    const taken: number[] = []
    const takeScrollSlot = testbed.state.takeScrollSlot.bind(testbed.state)
    testbed.state.takeScrollSlot = (slot, ...limits) => {
      taken.push(slot.range)
      return takeScrollSlot(slot, ...limits)
    }
    const published = { status: 'published', proof: 'exact', documents: 9 }
    expect(await testbed.stepToEnd(request)).toMatchObject(published)
    expect((await testbed.manifestOf(request.driver.runId))?.uniqueIds).toBe(9)
    expect(new Set(taken)).toEqual(new Set(open))
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

  it('plans ranges after a snapshot that has none', async () => {
    const { entity } = testbed
    testbed.entity = entityNamed('CL', { pageSize: 2 })
    await testbed.step(testbed.next())
    testbed.entity = entity
    testbed.now += day
    const request = testbed.next()
    expect(await testbed.step(request)).toMatchObject({ status: 'published' })
    expect(await testbed.runOf(request.driver.runId)).toMatchObject({ split: { kind: 'ranges' } })
  })

  it('scrolls the whole entity if its partitions were removed after a worker crashed', async () => {
    const request = testbed.next()
    testbed.respond = () => {
      throw new RangeError('out of memory')
    }
    await expect(testbed.step(request)).rejects.toThrow('out of memory')
    testbed.respond = () => undefined
    testbed.entity = entityNamed('CL', { pageSize: 2 })
    expect(await testbed.step(request)).toMatchObject({ status: 'published', proof: 'exact' })
    expect(await testbed.runOf(request.driver.runId)).toMatchObject({ split: { kind: 'whole' } })
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

  it('scrolls one range after the other if there is one slot', async () => {
    testbed.maxConcurrentScrolls = 1
    testbed.entity = { ...testbed.entity, pageSize: 400 }
    let secondAt: number | undefined
    testbed.respond = (_, url) => {
      if (!isScroll(url) || !filterOf(url).includes('>')) return undefined
      secondAt ??= testbed.now
      // The second range needs a smaller page.
      return url.searchParams.get('_size') === '400' ? statusResponse(408) : undefined
    }
    const request = testbed.next()
    expect(await testbed.step(request)).toMatchObject({ status: 'published', proof: 'exact' })
    const manifest = await testbed.manifestOf(request.driver.runId)
    expect(manifest?.pageSize).toBe(200)
    expect(Date.parse(manifest?.openedAt ?? '')).toBeLessThan(secondAt ?? 0)
  })

  it('remembers the smaller page size of a range for the next run', async () => {
    testbed.entity = { ...testbed.entity, pageSize: 800 }
    const sizes = () =>
      testbed.targets.flatMap((target) => /scroll\?.*_size=(\d+)/.exec(target)?.slice(1).map(Number) ?? [])
    testbed.respond = (_, url) => {
      const isTooLarge = isScroll(url) && Number(url.searchParams.get('_size')) > 200
      return isTooLarge ? statusResponse(408) : undefined
    }
    expect(await testbed.step(testbed.next())).toMatchObject({ status: 'published' })
    const before = sizes().length
    expect(await testbed.step(testbed.next())).toMatchObject({ status: 'published' })
    expect(sizes().slice(before)[0]).toBe(400)
  })
})
