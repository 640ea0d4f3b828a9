import { beforeEach, describe, expect, it } from 'vitest'
import { rangesOf as rangesIn } from '../../../stored/run/ranges-of-split.ts'
import { splitOfRun } from '../../../stored/run/run.ts'
import { endedBecause } from '../../ended-because.ts'
import { createdAt, filterOf, isScroll, isSearch, PartitionsTestbed } from './partitions-testbed.ts'
import { statusResponse } from './worker-testbed.ts'

let testbed: PartitionsTestbed

const documentAt = (id: number) => `{"id":${id},"createdIn":"${createdAt(0, id)}"}`
const splitOf = async (runId: string) => {
  const run = await testbed.runOf(runId)
  return run && splitOfRun(run)
}
const page = (documents: readonly string[], headers: Record<string, string> = {}) => ({
  status: 200,
  headers,
  body: Buffer.from(documents.length > 0 ? `[${documents.join(',')}]` : ''),
})
const throttled = (seconds: number) => ({
  status: 429,
  headers: { 'retry-after': String(seconds) },
  body: Buffer.from('busy'),
})

beforeEach(() => {
  testbed = new PartitionsTestbed()
  testbed.documents = [...Array.from({ length: 8 }, (_, id) => documentAt(id)), '{"id":8}']
})

describe('a run in ranges', () => {
  it('continues without them if scrolls ignore the filter and report no totals', async () => {
    let scrolls = 0
    testbed.respond = (_, url) => {
      if (!isScroll(url)) return undefined
      const [scroll = `scroll-${++scrolls}`, at = '0'] = url.searchParams.get('_token')?.split('|') ?? []
      const token = `${scroll}|${Number(at) + 2}`
      return page(testbed.documents.slice(Number(at), Number(at) + 2), { 'x-svc-md-token': token })
    }
    const request = testbed.next()
    expect(await testbed.stepToEnd(request)).toMatchObject({ status: 'published', documents: 9 })
    expect(await splitOf(request.driver.runId)).toMatchObject({ kind: 'fallback' })
  })

  it('opens no further range while scroll and search disagree', async () => {
    testbed.respond = (_, url) =>
      isScroll(url) && filterOf(url) !== ''
        ? page(testbed.documents.slice(0, 2), { 'rest-content-total': '9', 'x-svc-md-token': 'ignored' })
        : undefined
    const request = testbed.next()
    expect(await testbed.stepToEnd(request)).toMatchObject({ status: 'published', documents: 9 })
    expect(await splitOf(request.driver.runId)).toMatchObject({ kind: 'fallback' })
    expect(testbed.targets.filter((target) => /scroll\?.*createdIn/.test(target))).toHaveLength(1)
  })

  it('keeps its ranges during an outage of the search', async () => {
    testbed.maxConcurrentScrolls = 1
    const end = testbed.now + 400_000
    testbed.respond = (_, url) => {
      const hasOpened = testbed.targets.some((target) => /scroll.*createdIn\+%3E/.test(target))
      return isSearch(url) && hasOpened && testbed.now < end ? throttled(200) : undefined
    }
    const request = testbed.next()
    expect(await testbed.stepToEnd(request)).toMatchObject({
      status: 'published',
      proof: 'exact',
      documents: 9,
    })
    expect(await splitOf(request.driver.runId)).toMatchObject({ kind: 'ranges' })
    expect(testbed.logged('range waiting')).not.toEqual([])
  })

  it('does not take a part of a range for all of it if scrolls report no totals and searches differ', async () => {
    testbed.respond = (_, url) => {
      const isOfLast = filterOf(url).includes('>')
      if (isScroll(url) && isOfLast) return page([documentAt(7)], { 'x-svc-md-token': 'last' })
      if (url.searchParams.get('_token') === 'last') return page([])
      const hasOpened = testbed.targets.some((target) => /scroll.*createdIn\+%3E/.test(target))
      return isSearch(url) && isOfLast && hasOpened
        ? page(['{}'], { 'rest-content-range': 'resources=0-1/6' })
        : undefined
    }
    expect(await testbed.stepToEnd(testbed.next())).toMatchObject({ status: 'published', documents: 9 })
  })

  it('does not accept an empty range if the platform refuses to confirm it', async () => {
    testbed.documents.pop()
    let requests = 0
    testbed.respond = (_, url) => {
      if (!isScroll(url) || !filterOf(url).includes('is null') || ++requests > 3) return undefined
      return requests === 1 ? page([]) : statusResponse(400)
    }
    const request = testbed.next()
    expect(await testbed.stepToEnd(request)).toMatchObject({
      status: 'published',
      proof: 'exact',
      attempt: 2,
    })
    expect(
      rangesIn((await splitOf(request.driver.runId)) ?? { kind: 'unplanned', crashes: 0 })[0],
    ).toMatchObject({ attempt: 2 })
  })

  it('keeps the slot of a range that waits after another worker has taken over', async () => {
    testbed.requestMs = 20_000
    testbed.maxConcurrentScrolls = 2
    testbed.entity = { ...testbed.entity, pageSize: 1 }
    testbed.documents = Array.from({ length: 80 }, (_, id) => documentAt(id))
    const start = testbed.now
    let throttledAt = 0
    let taken: Promise<boolean> | undefined
    testbed.respond = (_, url) => {
      if (isScroll(url) && url.searchParams.has('_token') && !throttledAt && testbed.now > start + 560_000) {
        throttledAt = testbed.now
        return throttled(1000)
      }
      if (testbed.now > start + 1_100_000) {
        const times = { now: testbed.now, until: testbed.now + 600_000 }
        taken ??= testbed.state.takeScrollSlot({ runId: 'other', range: 0 }, 2, times)
      }
      return undefined
    }
    const request = testbed.next()
    await testbed.step(request)
    await testbed.step(request)
    expect(await taken).toBe(false)
  })

  it('sends at most 300 searches although its workers crash while they plan', async () => {
    const request = testbed.next()
    testbed.respond = (_, url) => {
      const searches = testbed.targets.filter((target) => target.includes('/search')).length
      if (isSearch(url) && searches % 10 === 0) throw new RangeError('out of memory')
      return undefined
    }
    for (let step = 0; step < 4; step++) await expect(testbed.step(request)).rejects.toThrow('out of memory')
    expect(await testbed.state.readRun('CL', request.driver.runId)).toMatchObject({ searches: 100 })
    await testbed.step(request).catch(() => {})
    expect(await testbed.step(request)).toMatchObject(endedBecause('failed', 'Five workers in a row crashed'))
  })
})
