import { beforeEach, describe, expect, it } from 'vitest'
import { splitOfRun } from '../../../stored/run/run.ts'
import { endedBecause } from '../../ended-because.ts'
import { createdAt, filterOf, isScroll, isSearch, PartitionsTestbed } from './partitions-testbed.ts'

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
