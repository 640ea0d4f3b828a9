import { describe, expect, it } from 'vitest'
import { positionsOf } from '../../functions/state/run/attempts.ts'
import { rangesOfRun, splitOfRun } from '../../functions/state/run/run.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { onScroll } from '../../local/stand-in/faults.ts'
import type { ReceivedRequest } from '../../local/stand-in/received-request.ts'
import { takesEveryCase } from '../case-count.ts'
import { onSearch } from '../stand-in-faults.ts'
import { entity, platform, prepareEachSync, sent, tokenSemantics, world } from './sync-testbed.ts'

prepareEachSync()

const partitions = { by: 'createdIn', count: 4 }
const upstream = () => ({
  baseUrl: platform.url,
  headerPrefix: 'X-SVC',
  searchPath: '/api/dataentities/{data_entity}/search',
  timeoutSeconds: 25,
})
const partitioned = (change = {}, more = {}) =>
  world({ partitions, ...change }, { upstream: upstream(), ...more })

const withoutValue = (id: string, createdIn: unknown) => Buffer.from(JSON.stringify({ id, createdIn }))
const documents = () => platform.documents.get(entity) as Buffer[]
const firstRequests = () =>
  platform.requests.filter(({ kind, query }) => kind === 'scroll' && query.has('_size'))
const filtersOf = (requests: readonly ReceivedRequest[]) =>
  requests.map(({ query }) => query.get('_where') ?? 'no filter')

describe('a partitioned entity', () => {
  it('is scrolled in ranges, each document once, with the documents that have no value', async () => {
    documents().push(withoutValue('null', null), Buffer.from('{"id":"missing"}'))
    const { sync, snapshot } = partitioned()
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact', documents: 97 })
    const { lines, manifest } = await snapshot(entity)
    expect(lines.toSorted()).toEqual(sent().toSorted())
    expect(manifest.partitions).toHaveLength(5)
    expect(manifest.partitions?.map(({ documents }) => documents).reduce((a, b) => a + b)).toBe(97)
    expect(manifest).toMatchObject({ reportedTotal: 97, attempts: 1, uniqueIds: 97 })
    expect(filtersOf(firstRequests()).toSorted()).toEqual(
      manifest.partitions?.map(({ where }) => where).toSorted(),
    )
    expect(manifest.partitions?.at(-1)?.where).toBe('(createdIn is null)')
  })

  it('scrolls several ranges at once', async () => {
    platform.documents.set(entity, makeDocuments(800))
    const { sync } = partitioned()
    await sync(entity)
    const scrolls = platform.requests
      .filter(({ kind }) => kind === 'scroll')
      .map(({ scroll }) => scroll?.scroll)
      // The first range has no documents.
      .slice(2)
    const firstEnd = scrolls.lastIndexOf(scrolls[0])
    expect(new Set(scrolls.slice(0, firstEnd)).size).toBeGreaterThan(2)
  })

  it('combines the ranges with the filter of the owner and keeps the other parameters', async () => {
    const { sync, snapshot } = partitioned({ query: { _where: 'number < 50 OR number = 50', _schema: 's1' } })
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact', documents: 51 })
    for (const { query } of firstRequests()) {
      expect(query.get('_where')).toMatch(/^\(number < 50 OR number = 50\) AND \(createdIn /)
      expect(query.get('_schema')).toBe('s1')
    }
    expect((await snapshot(entity)).lines).toHaveLength(51)
  })

  it('counts a document on a boundary once', async () => {
    const day = (index: number) => new Date(Date.UTC(2024, 0, 1 + index)).toISOString()
    platform.documents.set(
      entity,
      Array.from({ length: 80 }, (_, index) => withoutValue(`d${index}`, day(Math.floor(index / 2)))),
    )
    const { sync } = partitioned()
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
  })

  it('uses the boundaries of the published snapshot again', async () => {
    const { sync, snapshot } = partitioned()
    await sync(entity)
    const first = await snapshot(entity)
    const searches = () => platform.requests.filter(({ kind }) => kind === 'search').length
    const before = searches()
    await sync(entity)
    const second = await snapshot(entity)
    expect(second.manifest.partitionedBy).toEqual(first.manifest.partitionedBy)
    expect(searches() - before).toBeLessThan(before)
  })

  it('scrolls only the range again that lost a page', async () => {
    platform.faults.add({ match: onScroll({ scroll: 2, page: 2 }), fault: { kind: 'skip-page' } })
    const { sync, snapshot } = partitioned()
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
    const attempts = (await snapshot(entity)).manifest.partitions?.map(({ attempts }) => attempts)
    expect(attempts?.toSorted()).toEqual([1, 1, 1, 1, 2])
    expect(firstRequests()).toHaveLength(6)
  })

  it.runIf(takesEveryCase())(
    'scrolls a range of many pages again without taking its pages for repeats',
    async () => {
      // More than a hundred pages of each range, after which repeats end a scroll.
      platform.documents.set(entity, makeDocuments(230))
      platform.faults.add({ match: onScroll({ scroll: 2, page: 2 }), fault: { kind: 'skip-page' } })
      const { sync, snapshot } = partitioned({ pageSize: 1, partitions: { ...partitions, count: 2 } })
      expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact', documents: 230 })
      const ranges = (await snapshot(entity)).manifest.partitions ?? []
      const again = ranges.filter(({ attempts }) => attempts === 2)
      expect([ranges.length, again.length]).toEqual([3, 1])
      expect(again[0]?.documents).toBeGreaterThan(102)
    },
  )

  it.each([
    ['ignores filters', { kind: 'ignore-filter' }, /ignore the filter/],
    ['refuses filters', { kind: 'refuse-filter' }, /400/],
  ] as const)('is scrolled whole when the platform %s', async (_, fault, reason) => {
    platform.faults.add({ match: onSearch(), fault, times: Number.POSITIVE_INFINITY })
    const { sync, snapshot, world: inside } = partitioned()
    const response = await sync(entity)
    expect(response).toMatchObject({ status: 'published', proof: 'exact', documents: 95 })
    expect((await snapshot(entity)).lines).toEqual(sent())
    expect((await snapshot(entity)).manifest.partitions).toBeUndefined()
    const run = await inside.state.readRun(entity, response.runId ?? '')
    expect(run && splitOfRun(run)).toMatchObject({
      kind: 'fallback',
      reason: expect.stringMatching(reason) as string,
    })
    expect(filtersOf(firstRequests())).toEqual(['no filter'])
  })

  it('is scrolled whole when only scrolls ignore filters', async () => {
    platform.faults.add({
      match: onScroll(),
      fault: { kind: 'ignore-filter' },
      times: Number.POSITIVE_INFINITY,
    })
    const { sync, snapshot } = partitioned()
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
    expect(new Set((await snapshot(entity)).lines)).toEqual(new Set(sent()))
  })

  it('is scrolled whole when documents are in no range', async () => {
    documents().push(...['x', 'y', 'z'].map((id) => withoutValue(id, 'not a date')))
    const { sync, snapshot } = partitioned()
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact', documents: 98 })
    expect((await snapshot(entity)).lines.toSorted()).toEqual(sent().toSorted())
  })

  it('is scrolled whole when a range can never be proven', async () => {
    platform.faults.add({
      match: (request) =>
        onScroll({ page: 1 })(request) && (request.query.get('_where') ?? '').includes('between'),
      fault: { kind: 'total', total: { offBy: 5 } },
      times: Number.POSITIVE_INFINITY,
    })
    const { sync } = partitioned()
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
  })

  it('waits for one throttled range while the others are scrolled', async () => {
    platform.faults.add({
      match: onScroll({ scroll: 1, request: 1 }),
      fault: { kind: 'status', status: 429, headers: { 'retry-after': '20' } },
    })
    const { sync } = partitioned()
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
  })

  it('scrolls one range after the other with a single slot', async () => {
    const { sync } = partitioned({}, { maxConcurrentScrolls: 1 })
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
    const scrolls = platform.requests
      .filter(({ kind }) => kind === 'scroll')
      .map(({ scroll }) => scroll?.scroll)
    expect(scrolls).toEqual(scrolls.toSorted((a, b) => (a ?? 0) - (b ?? 0)))
  })

  it('hands off and continues with all ranges at their positions', async () => {
    platform.documents.set(entity, makeDocuments(400))
    const { sync, snapshot } = partitioned()
    expect(await sync(entity, { seconds: 1, steps: 400 })).toMatchObject({
      status: 'published',
      proof: 'exact',
    })
    expect((await snapshot(entity)).lines.toSorted()).toEqual(sent().toSorted())
  })

  it.each(tokenSemantics)('marks every open range suspect after a crash (%s tokens)', async (tokens) => {
    platform.scroll.tokens = tokens
    const { request, callWorker, world: inside, snapshot } = partitioned()
    const asked = request(entity)
    let pages = 0
    const state = {
      ...inside.state,
      commitPage: async (...args: Parameters<typeof inside.state.commitPage>) => {
        if (++pages > 4) throw new Error('killed')
        return inside.state.commitPage(...args)
      },
    }
    await expect(callWorker(asked, { using: { ...inside, state } })).rejects.toThrow('killed')
    const crashed = await inside.state.readRun(entity, asked.driver.runId)
    const before = crashed ? await positionsOf(inside.state, crashed) : []
    expect(before.filter((position) => position !== undefined).length).toBeGreaterThan(1)
    expect(await callWorker(asked)).toMatchObject({ status: 'published', proof: 'exact' })
    const run = await inside.state.readRun(entity, asked.driver.runId)
    const ranges = run ? rangesOfRun(run) : []
    // A cursor that moved lost a page, so that the range was scrolled again.
    expect(ranges.some(({ suspect, attempt }) => suspect || attempt > 1)).toBe(true)
    expect((await snapshot(entity)).lines.toSorted()).toEqual(sent().toSorted())
  })
})
