import { beforeEach, describe, expect, it } from 'vitest'
import { CredentialsError, UpstreamFailure } from '../../../functions/upstream/exchange.ts'
import { filterOf, isScroll, isSearch, PartitionsTestbed } from './partitions-testbed.ts'
import { statusResponse } from './worker-testbed.ts'

let testbed: PartitionsTestbed

beforeEach(() => {
  testbed = new PartitionsTestbed()
})

const found = (total: number) => ({
  status: 200,
  headers: { 'rest-content-range': `resources=0-1/${total}` },
  body: Buffer.from('[{}]'),
})

describe('a run that scrolls the whole entity instead of ranges', () => {
  /** Why the published run has scrolled the whole entity, by its item and by the log. */
  const reasonsOf = async (runId: string) => {
    const run = await testbed.runOf(runId)
    const logged = testbed.logged('scrolling without partitions').map(({ level, fields }) => [level, fields])
    return run?.status === 'published' && run.kind === 'full' && run.split.kind === 'fallback'
      ? { item: run.split.reason, logged, manifest: await testbed.manifestOf(runId) }
      : undefined
  }
  const whole = (runId: string, expected: RegExp) => {
    const reason = expect.stringMatching(expected) as string
    return {
      item: reason,
      logged: [['WARN', { entity: 'CL', runId, reason }]],
      manifest: expect.not.objectContaining({ partitions: expect.anything() as unknown }) as object,
    }
  }

  it.each<[string, RegExp, PartitionsTestbed['respond']]>([
    [
      'the platform refuses the search',
      /search responded with 400/,
      (_, url) => (isSearch(url) ? statusResponse(400) : undefined),
    ],
    [
      'the secret cannot be read',
      /secret cannot be read/,
      (_, url) => {
        if (isSearch(url)) throw new CredentialsError('unreadable', 'The secret cannot be read.')
        return undefined
      },
    ],
    [
      'the searches take too long',
      /longer than the worker may run/,
      (request, url) => {
        if (isSearch(url) && request === 2) testbed.now += 811_000
        return undefined
      },
    ],
    [
      'a range cannot be proven',
      /^A range could not be proven complete after 3 attempts\. ./,
      (_, url) => (filterOf(url).includes('is null') && isScroll(url) ? emptyScroll : undefined),
    ],
  ])('does so if %s', async (_, reason, response) => {
    testbed.respond = response
    const request = testbed.next()
    await testbed.stepToEnd(request)
    expect(await reasonsOf(request.driver.runId)).toEqual(whole(request.driver.runId, reason))
  })

  it('gives up a range after three attempts', async () => {
    testbed.respond = (_, url) =>
      filterOf(url).includes('is null') && isScroll(url) ? emptyScroll : undefined
    await testbed.stepToEnd(testbed.next())
    expect(testbed.logged('attempt given up').map(({ fields }) => fields['attempt'])).toEqual([1, 2, 3])
  })

  it('counts the searches that timed out', async () => {
    testbed.respond = (_, url) => {
      if (isSearch(url)) throw new UpstreamFailure('timeout')
      return undefined
    }
    const request = testbed.next()
    await testbed.step(request)
    expect(await testbed.runOf(request.driver.runId)).toMatchObject({
      faults: { timeout: 5 },
      requests: 5 + 6,
    })
  })

  it.each([300, 400])('counts the searches that failed with %i', async (code) => {
    testbed.respond = (_, url) => (isSearch(url) ? statusResponse(code) : undefined)
    const request = testbed.next()
    await testbed.step(request)
    expect(await testbed.runOf(request.driver.runId)).toMatchObject({
      faults: { [code]: 1 },
      requests: 1 + 6,
    })
  })

  it('does so if the ranges do not cover the entity', async () => {
    testbed.respond = (_, url) => (isSearch(url) && filterOf(url) === '' ? found(10) : undefined)
    const request = testbed.next()
    await testbed.stepToEnd(request)
    expect(await reasonsOf(request.driver.runId)).toEqual(
      whole(request.driver.runId, /The ranges have 9 documents and the entity has 10/),
    )
  })

  const emptyScroll = { status: 200, headers: { 'rest-content-total': '1' }, body: Buffer.alloc(0) }
})
