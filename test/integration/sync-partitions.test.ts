import { describe, expect, it } from 'vitest'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { onScroll } from '../../local/stand-in/faults.ts'
import type { ReceivedRequest } from '../../local/stand-in/received-request.ts'
import { entity, platform, prepareEachSync, sent, world } from './sync-testbed.ts'

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

  it('counts a document on a boundary once', async () => {
    const day = (index: number) => new Date(Date.UTC(2024, 0, 1 + index)).toISOString()
    platform.documents.set(
      entity,
      Array.from({ length: 80 }, (_, index) => withoutValue(`d${index}`, day(Math.floor(index / 2)))),
    )
    const { sync } = partitioned()
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
  })

  it('scrolls only the range again that lost a page', async () => {
    platform.faults.add({ match: onScroll({ scroll: 2, page: 2 }), fault: { kind: 'skip-page' } })
    const { sync, snapshot } = partitioned()
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
    const attempts = (await snapshot(entity)).manifest.partitions?.map(({ attempts }) => attempts)
    expect(attempts?.toSorted()).toEqual([1, 1, 1, 1, 2])
    expect(firstRequests()).toHaveLength(6)
  })

  it('scrolls one range after the other with a single slot', async () => {
    const { sync } = partitioned({}, { maxConcurrentScrolls: 1 })
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
    const scrolls = platform.requests
      .filter(({ kind }) => kind === 'scroll')
      .map(({ scroll }) => scroll?.scroll)
    expect(scrolls).toEqual(scrolls.toSorted((a, b) => (a ?? 0) - (b ?? 0)))
  })
})
