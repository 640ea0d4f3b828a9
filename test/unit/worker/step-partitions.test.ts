import { beforeEach, describe, expect, it } from 'vitest'
import { positionsOf, progressOver, recordedPositions } from '../../../functions/state/run/attempts.ts'
import { newRunId } from '../../../functions/state/run/run.ts'
import { rangesOf as rangesIn } from '../../../functions/state/run/split.ts'
import { CredentialsError, UpstreamFailure } from '../../../functions/upstream/errors.ts'
import { entityNamed } from '../../entity-named.ts'
import { stepRequest, WorkerTestbed } from './worker-testbed.ts'

const minute = 60_000
const day = 24 * 60 * minute
let testbed: WorkerTestbed

const created = (hour: number) => new Date(Date.UTC(2030, 0, 1, hour)).toISOString()
const filterOf = (url: URL) => url.searchParams.get('_where') ?? ''
const isSearch = (url: URL) => url.pathname.endsWith('/search')
const isScroll = (url: URL) => url.pathname.endsWith('/scroll')
const status = (code: number, headers = {}) => ({ status: code, headers, body: Buffer.from('no') })
const next = () => stepRequest(newRunId(testbed.now))
const runOf = async (runId: string) => testbed.state.readRun('CL', runId)
const manifestOf = (runId: string) => testbed.snapshots.readManifest('CL', runId)

beforeEach(() => {
  testbed = new WorkerTestbed()
  testbed.maxConcurrentScrolls = 3
  testbed.entity = entityNamed('CL', { pageSize: 2, partitions: { by: 'createdIn', count: 2 } })
  testbed.documents = [
    ...Array.from({ length: 8 }, (_, id) => `{"id":${id},"createdIn":"${created(id)}"}`),
    '{"id":8}',
  ]
})

const rangesOf = async (runId: string) => {
  const run = await runOf(runId)
  return run ? rangesIn(run.split) : []
}
const found = (total: number) => ({
  status: 200,
  headers: { 'rest-content-range': `resources=0-1/${total}` },
  body: Buffer.from('[{}]'),
})
/** A response to the scroll of the documents without a value. */
const page = (body: string, total: number) => ({
  status: 200,
  headers: { 'rest-content-total': String(total), 'x-svc-md-token': 'null' },
  body: Buffer.from(body),
})
async function cancel(runId: string): Promise<unknown> {
  const run = await runOf(runId)
  if (!run) throw new Error('The run has no item.')
  const end = {
    documents: 0,
    pages: 0,
    total: undefined,
    rangeProgress: [],
    endedAt: run.updatedAt,
    abandoned: false,
  }
  return testbed.state.endRun({ ...run, ...end, status: 'cancelled', reason: 'Cancelled.' }, ['running'])
}

describe('a run in ranges', () => {
  it('publishes the documents of all ranges, and describes the ranges in the manifest', async () => {
    const request = next()
    expect(await testbed.step(request)).toMatchObject({
      status: 'published',
      proof: 'exact',
      total: 9,
      suspect: false,
    })
    const manifest = await manifestOf(request.runId)
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
    expect(await runOf(request.runId)).toMatchObject({
      rangeProgress: partitions.map((range) => ({
        documents: range?.documents,
        total: range?.reportedTotal,
      })),
    })
    expect(Date.parse(manifest?.openedAt ?? '')).toBeLessThan(Date.parse(manifest?.finishedAt ?? ''))
    expect(manifest?.spent?.requests).toBe(testbed.targets.length)
    expect(testbed.logged('scrolling without partitions')).toEqual([])
    expect(testbed.logged('ranges planned')).toMatchObject([
      { level: 'INFO', fields: { entity: 'CL', runId: request.runId, total: 9, coverage: 'exact' } },
    ])
  })

  it('is planned although the platform reports totals with a space, as in the field', async () => {
    testbed.platform.rangeSeparator = ' '
    const request = next()
    expect(await testbed.step(request)).toMatchObject({ status: 'published', proof: 'exact' })
    expect(await rangesOf(request.runId)).toHaveLength(3)
  })

  it('reuses the boundaries of the last snapshot while the field is the same', async () => {
    await testbed.step(next())
    const planned = testbed.targets.filter((target) => target.includes('/search')).length
    testbed.now += day
    const request = next()
    await testbed.step(request)
    const again = testbed.targets.filter((target) => target.includes('/search')).length - planned
    // The whole twice, three ranges and twice a boundary without documents; each range once more when it is opened.
    expect(again).toBe(10)
    testbed.entity = { ...testbed.entity, partitions: { by: 'birthIn', count: 2 } }
    testbed.now += day
    const other = next()
    await testbed.step(other)
    expect(await runOf(other.runId)).toMatchObject({ split: { kind: 'fallback' } })
  })

  it('scrolls only the failed range again', async () => {
    let failures = 0
    testbed.respond = (_, url) => {
      const isLater = isScroll(url) && url.searchParams.has('_token')
      return isLater && ++failures === 1 ? status(404) : undefined
    }
    const request = next()
    expect(await testbed.step(request)).toMatchObject({ status: 'published', proof: 'exact' })
    const manifest = await manifestOf(request.runId)
    expect(manifest?.attempts).toBe(2)
    expect(manifest?.partitions?.map(({ attempts }) => attempts).toSorted()).toEqual([1, 1, 2])
    expect(testbed.logged('attempt given up')).toMatchObject([
      { level: 'WARN', fields: { entity: 'CL', runId: request.runId, attempt: 1 } },
    ])
    expect((await rangesOf(request.runId)).map(({ cleanCounts }) => cleanCounts)).toEqual([[], [], []])
  })

  it('marks only the range suspect in which a request timed out', async () => {
    let failures = 0
    testbed.respond = (_, url) => {
      if (isScroll(url) && url.searchParams.has('_token') && ++failures === 1)
        throw new UpstreamFailure('timeout')
      return undefined
    }
    const request = next()
    expect(await testbed.step(request)).toMatchObject({ status: 'published', proof: 'exact' })
    const ranges = await rangesOf(request.runId)
    expect(ranges.filter(({ suspect }) => suspect)).toHaveLength(1)
    expect((await runOf(request.runId))?.faults).toEqual({ timeout: 1 })
  })

  it('hands off and continues its ranges from their pages', async () => {
    testbed.requestMs = 40_000
    const request = next()
    const first = await testbed.step(request)
    expect(first).toEqual({ status: 'running', entity: 'CL', runId: request.runId })
    const run = await runOf(request.runId)
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
    const request = next()
    await testbed.step(request)
    const states = (await rangesOf(request.runId)).map(({ state }) => state)
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
    expect((await manifestOf(request.runId))?.uniqueIds).toBe(9)
    expect(new Set(taken)).toEqual(new Set(open))
  })

  it.each([
    ['another number of them', { by: 'createdIn', count: 4 }, 5],
    ['another field', { by: 'bornIn', count: 2 }, 3],
  ])('looks for boundaries again after the configuration asks for %s', async (_, partitions, ranges) => {
    testbed.documents = Array.from(
      { length: 8 },
      (_, id) => `{"id":${id},"createdIn":"${created(id)}","bornIn":"19${60 + id}-01-01T00:00:00.000Z"}`,
    )
    await testbed.step(next())
    testbed.entity = { ...testbed.entity, partitions }
    testbed.now += day
    const request = next()
    expect(await testbed.step(request)).toMatchObject({ status: 'published' })
    expect(await manifestOf(request.runId)).toMatchObject({
      partitionedBy: { ...partitions, boundaries: { length: partitions.count - 1 } },
      partitions: { length: ranges },
    })
  })

  it('plans ranges after a snapshot that has none', async () => {
    const { entity } = testbed
    testbed.entity = entityNamed('CL', { pageSize: 2 })
    await testbed.step(next())
    testbed.entity = entity
    testbed.now += day
    const request = next()
    expect(await testbed.step(request)).toMatchObject({ status: 'published' })
    expect(await runOf(request.runId)).toMatchObject({ split: { kind: 'ranges' } })
  })

  it('scrolls the whole entity if its partitions were removed after a worker crashed', async () => {
    const request = next()
    testbed.respond = () => {
      throw new RangeError('out of memory')
    }
    await expect(testbed.step(request)).rejects.toThrow('out of memory')
    testbed.respond = () => undefined
    testbed.entity = entityNamed('CL', { pageSize: 2 })
    expect(await testbed.step(request)).toMatchObject({ status: 'published', proof: 'exact' })
    expect(await runOf(request.runId)).toMatchObject({ split: { kind: 'whole' } })
  })

  it('waits if all of its ranges wait', async () => {
    testbed.respond = (_, url) => (isScroll(url) ? status(429, { 'retry-after': '180' }) : undefined)
    const request = next()
    const reason = expect.stringContaining('429') as string
    expect(await testbed.step(request)).toEqual({
      status: 'waiting',
      entity: 'CL',
      runId: request.runId,
      reason,
      waitSeconds: expect.closeTo(170, -2) as number,
    })
    expect(await runOf(request.runId)).toMatchObject({
      status: 'waiting',
      reason,
      split: { kind: 'ranges' },
    })
    const waitingRange = { entity: 'CL', runId: request.runId, attempt: 1, reason, waitSeconds: 180 }
    expect(testbed.logged('range waiting')).toMatchObject(
      [0, 1, 2].map((range) => ({ level: 'WARN', fields: { ...waitingRange, range } })),
    )
    // It keeps its slots meanwhile.
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
      return url.searchParams.get('_size') === '400' ? status(408) : undefined
    }
    const request = next()
    expect(await testbed.step(request)).toMatchObject({ status: 'published', proof: 'exact' })
    const manifest = await manifestOf(request.runId)
    expect(manifest?.pageSize).toBe(200)
    expect(Date.parse(manifest?.openedAt ?? '')).toBeLessThan(secondAt ?? 0)
  })

  it('remembers the smaller page size of a range for the next run', async () => {
    testbed.entity = { ...testbed.entity, pageSize: 800 }
    const sizes = () =>
      testbed.targets.flatMap((target) => /scroll\?.*_size=(\d+)/.exec(target)?.slice(1).map(Number) ?? [])
    testbed.respond = (_, url) => {
      const isTooLarge = isScroll(url) && Number(url.searchParams.get('_size')) > 200
      return isTooLarge ? status(408) : undefined
    }
    expect(await testbed.step(next())).toMatchObject({ status: 'published' })
    const before = sizes().length
    expect(await testbed.step(next())).toMatchObject({ status: 'published' })
    expect(sizes().slice(before)[0]).toBe(400)
  })

  const provenAgain = { state: 'proven', attempt: 2, suspect: false }
  /** The range without a value, of a sync that publishes. */
  async function firstRange(proof: string) {
    const request = next()
    expect(await testbed.step(request)).toMatchObject({ status: 'published', proof })
    return (await rangesOf(request.runId))[0]
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

  it('forgets in the next attempt of a range that it was suspect', async () => {
    let failures = 0
    testbed.respond = (_, url) => {
      const { searchParams } = url
      if (searchParams.get('_token') === 'null') {
        if (++failures === 1) throw new UpstreamFailure('timeout')
        return failures === 2 ? status(404) : page('', 1)
      }
      return isScroll(url) && filterOf(url).includes('is null') ? page('[{"id":8}]', 1) : undefined
    }
    expect(await firstRange('exact')).toMatchObject({ ...provenAgain, cleanCounts: [] })
  })

  it.each([
    ['search', isSearch, 1],
    ['scroll', isScroll, 3],
  ])('sends nothing more after it was cancelled during a %s', async (_, isKind, most) => {
    testbed.requestMs = 5_000
    const request = next()
    let cancelling: Promise<unknown> | undefined
    testbed.respond = (_, url) => {
      if (isKind(url)) cancelling ??= cancel(request.runId)
      return undefined
    }
    expect(await testbed.step(request)).toMatchObject({ status: 'cancelled' })
    await cancelling
    const ofKind = testbed.targets.filter((target) => isKind(new URL(target, 'http://x')))
    expect(ofKind.length).toBeLessThanOrEqual(most)
  })

  it('fails if the platform rejects the credentials', async () => {
    testbed.respond = (_, url) => (isScroll(url) ? status(401) : undefined)
    expect(await testbed.step(next())).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('401') as string,
    })
  })

  it('is skipped if the credentials are not set', async () => {
    testbed.respond = (_, url) => {
      if (isScroll(url)) throw new CredentialsError('not-set', 'The credentials are not set.')
      return undefined
    }
    expect(await testbed.step(next())).toMatchObject({ status: 'skipped' })
  })

  it('continues after a crash while it compares a range with searches', async () => {
    let crashes = 0
    testbed.respond = (_, url) => {
      const isAfter = isSearch(url) && testbed.targets.some((target) => target.includes('/scroll'))
      if (isAfter && ++crashes === 1) throw new RangeError('out of memory')
      return undefined
    }
    const request = next()
    await expect(testbed.step(request)).rejects.toThrow('out of memory')
    expect(await testbed.step(request)).toMatchObject({ status: 'published', proof: 'exact' })
  })
})

describe('a run that scrolls the whole entity instead of ranges', () => {
  /** Why the published run has scrolled the whole entity, by its item and by the log. */
  const reasonsOf = async (runId: string) => {
    const run = await runOf(runId)
    const logged = testbed.logged('scrolling without partitions').map(({ level, fields }) => [level, fields])
    return run?.status === 'published' && run.split.kind === 'fallback'
      ? { item: run.split.reason, logged, manifest: await manifestOf(runId) }
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

  it.each<[string, RegExp, WorkerTestbed['respond']]>([
    [
      'the platform refuses the search',
      /search responded with 400/,
      (_, url) => (isSearch(url) ? status(400) : undefined),
    ],
    [
      'the platform rejects the credentials of the search',
      /search responded with 403: the credentials were rejected/,
      (_, url) => (isSearch(url) ? status(403) : undefined),
    ],
    [
      'the search is not answered in time',
      /The search failed: timeout/,
      (_, url) => {
        if (isSearch(url)) throw new UpstreamFailure('timeout')
        return undefined
      },
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
    const request = next()
    await testbed.stepToEnd(request)
    expect(await reasonsOf(request.runId)).toEqual(whole(request.runId, reason))
  })

  it('gives up a range after three attempts', async () => {
    testbed.respond = (_, url) =>
      filterOf(url).includes('is null') && isScroll(url) ? emptyScroll : undefined
    await testbed.stepToEnd(next())
    expect(testbed.logged('attempt given up').map(({ fields }) => fields['attempt'])).toEqual([1, 2, 3])
  })

  it('counts the searches that timed out', async () => {
    testbed.respond = (_, url) => {
      if (isSearch(url)) throw new UpstreamFailure('timeout')
      return undefined
    }
    const request = next()
    await testbed.step(request)
    expect(await runOf(request.runId)).toMatchObject({ faults: { timeout: 5 }, requests: 5 + 6 })
  })

  it.each([300, 400])('counts the searches that failed with %i', async (code) => {
    testbed.respond = (_, url) => (isSearch(url) ? status(code) : undefined)
    const request = next()
    await testbed.step(request)
    expect(await runOf(request.runId)).toMatchObject({ faults: { [code]: 1 }, requests: 1 + 6 })
  })

  it('does so if the ranges do not cover the entity', async () => {
    testbed.respond = (_, url) => (isSearch(url) && filterOf(url) === '' ? found(10) : undefined)
    const request = next()
    await testbed.stepToEnd(request)
    expect(await reasonsOf(request.runId)).toEqual(
      whole(request.runId, /The ranges have 9 documents and the entity has 10/),
    )
  })

  const emptyScroll = { status: 200, headers: { 'rest-content-total': '1' }, body: Buffer.alloc(0) }
})
