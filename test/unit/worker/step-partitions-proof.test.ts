import { beforeEach, describe, expect, it } from 'vitest'
import { CredentialsError, UpstreamFailure } from '../../../functions/upstream/errors.ts'
import { endedBecause } from '../../ended-because.ts'
import { filterOf, isScroll, isSearch, PartitionsTestbed } from './partitions-testbed.ts'
import { statusResponse } from './worker-testbed.ts'

let testbed: PartitionsTestbed

beforeEach(() => {
  testbed = new PartitionsTestbed()
})
/** A response to the scroll of the documents without a value. */
const page = (body: string, total: number) => ({
  status: 200,
  headers: { 'rest-content-total': String(total), 'x-svc-md-token': 'null' },
  body: Buffer.from(body),
})

describe('a run in ranges', () => {
  const provenAgain = { state: 'proven', attempt: 2, suspect: false }
  /** The range without a value, of a sync that publishes. */
  async function firstRange(proof: string) {
    const request = testbed.next()
    expect(await testbed.step(request)).toMatchObject({ status: 'published', proof })
    return (await testbed.rangesOf(request.driver.runId))[0]
  }

  it('accepts a range that is short twice by the same number of documents', async () => {
    testbed.entity = { ...testbed.entity, totalTolerancePercent: 50 }
    testbed.respond = (_, url) => {
      const { searchParams } = url
      if (searchParams.get('_token') === 'null') return page('', 2)
      return isScroll(url) && filterOf(url).includes('is null') ? page('[{"id":8}]', 2) : undefined
    }
    expect(await firstRange('within-tolerance')).toMatchObject({ ...provenAgain, cleanCounts: [1] })
  })

  it('does not compare a range with the count of its suspect attempt', async () => {
    testbed.entity = { ...testbed.entity, totalTolerancePercent: 50 }
    let failures = 0
    testbed.respond = (_, url) => {
      const { searchParams } = url
      if (searchParams.get('_token') === 'null') {
        if (++failures === 1) throw new UpstreamFailure('timeout')
        return page('', 2)
      }
      return isScroll(url) && filterOf(url).includes('is null') ? page('[{"id":8}]', 2) : undefined
    }
    expect(await firstRange('within-tolerance')).toMatchObject({
      ...provenAgain,
      attempt: 3,
      cleanCounts: [1],
    })
  })

  it('clears the suspect mark when a range starts its next attempt', async () => {
    testbed.documents.push('{"id":9}')
    let failures = 0
    testbed.respond = (_, url) => {
      const { searchParams } = url
      if (searchParams.get('_token') === 'null') {
        if (++failures === 1) throw new UpstreamFailure('timeout')
        return failures === 2 ? statusResponse(404) : page('', 2)
      }
      const documents = failures === 0 ? '[{"id":8}]' : '[{"id":8},{"id":9}]'
      return isScroll(url) && filterOf(url).includes('is null') ? page(documents, 2) : undefined
    }
    expect(await firstRange('exact')).toMatchObject({ ...provenAgain, cleanCounts: [] })
  })

  it.each([
    ['search', isSearch, 1],
    ['scroll', isScroll, 3],
  ])('sends nothing more after it was cancelled during a %s', async (_, isKind, most) => {
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

  it('fails if the platform rejects the credentials', async () => {
    testbed.respond = (_, url) => (isScroll(url) ? statusResponse(401) : undefined)
    expect(await testbed.step(testbed.next())).toMatchObject(endedBecause('failed', '401'))
  })

  it('is skipped if the credentials are not set', async () => {
    testbed.respond = (_, url) => {
      if (isScroll(url)) throw new CredentialsError('not-set', 'The credentials are not set.')
      return undefined
    }
    expect(await testbed.step(testbed.next())).toMatchObject({ status: 'skipped' })
  })

  it('continues after a crash while it compares a range with searches', async () => {
    let crashes = 0
    testbed.respond = (_, url) => {
      const isAfter = isSearch(url) && testbed.targets.some((target) => target.includes('/scroll'))
      if (isAfter && ++crashes === 1) throw new RangeError('out of memory')
      return undefined
    }
    const request = testbed.next()
    await expect(testbed.step(request)).rejects.toThrow('out of memory')
    expect(await testbed.step(request)).toMatchObject({ status: 'published', proof: 'exact' })
  })
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
