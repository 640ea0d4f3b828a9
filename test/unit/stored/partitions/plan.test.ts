import { describe, expect, it } from 'vitest'
import { type PlanIo, planRanges, type Search } from '../../../../stored/partitions/plan.ts'
import { SearchFailed } from '../../../../stored/partitions/search.ts'

const start = Date.UTC(2024, 0, 1)
const hour = 3_600_000
const hourly = Array.from({ length: 1_000 }, (_, index) => new Date(start + index * hour).toISOString())

/** A platform that has documents with these values and understands the filters of ranges. */
function searchOf(values: readonly (string | null)[], options: { ignoresFilters?: true } = {}) {
  const requests: string[] = []
  const clock = { now: start }
  const search: Search = async ({ where = '', sort }) => {
    requests.push(where)
    const matching = values.filter((value) => options.ignoresFilters || matches(where, value))
    const sorted = matching.filter((value) => value !== null).toSorted()
    return { total: matching.length, value: sort === 'DESC' ? sorted.at(-1) : sorted[0], requests: 1 }
  }
  const io: PlanIo = {
    search,
    now: () => clock.now,
    async sleep(ms) {
      clock.now += ms
    },
  }
  return { io, search, requests, clock }
}

function matches(where: string, value: string | null): boolean {
  if (where === '') return true
  if (where.includes('is not null')) return value !== null && value !== ''
  if (where.includes('is null')) return value === null
  if (value === null || value === '') return false
  const [, from, to] = /between (\S+) AND ([^\s)]+)/.exec(where) ?? []
  if (from && to) return value >= from && value <= to
  const [, equal] = /^\(\w+ = ([^\s)]+)\)$/.exec(where) ?? []
  if (equal) return value === equal
  const [, sign, bound = ''] = /([<>]) (\S+) OR/.exec(where) ?? []
  return sign === '<' ? value <= bound : value >= bound
}

const four = { by: 'createdIn', count: 4 }

const day = 24 * hour
const known = (indexes: readonly number[], searchedAt = new Date(start - 2 * day).toISOString()) => ({
  boundaries: indexes.map((index) => hourly[index] ?? ''),
  searchedAt,
})

describe('planRanges', () => {
  it('splits documents into ranges of about equal size and begins with those without a value', async () => {
    const plan = await planRanges(four, undefined, searchOf([...hourly, null, null]).io)
    expect(plan).toMatchObject({ kind: 'ranges', total: 1_002, coverage: 'exact', by: 'createdIn', count: 4 })
    if (plan.kind !== 'ranges') return
    const [withoutValue, ...others] = plan.filters
    expect(withoutValue).toEqual({ where: '(createdIn is null)', documents: 2 })
    expect(others).toHaveLength(4)
    for (const { documents } of others) expect(documents).toBeLessThan(300)
  })

  it('uses the boundaries of the last snapshot again while the ranges are balanced', async () => {
    const { io, requests } = searchOf(hourly)
    const first = await planRanges(four, undefined, io)
    requests.length = 0
    if (first.kind !== 'ranges') throw new Error('There are no ranges.')
    expect(await planRanges(four, first, io)).toEqual(first)
    // The whole before and after, four ranges and the documents without a value, and three boundaries.
    expect(requests).toHaveLength(10)
  })

  it('looks for boundaries in at most 100 requests, repeated ones included', async () => {
    const bursts = Array.from({ length: 1_000 }, (_, index) => new Date(start + index ** 4).toISOString())
    const { io } = searchOf(bursts)
    let requests = 0
    const search: Search = async (request) => {
      const result = await io.search(request)
      const isBoundary = request.sort || request.where?.includes('<')
      if (isBoundary) requests += 5
      return { ...result, requests: 5 }
    }
    const plan = await planRanges({ by: 'createdIn', count: 10 }, undefined, { ...io, search })
    expect(plan.kind).toBe('ranges')
    // The total of the first range is not part of the search for boundaries.
    expect(requests - 5).toBeLessThanOrEqual(100)
    expect(requests).toBeGreaterThan(50)
  })

  it('reads the totals of ranges and boundaries concurrently, between two totals of the entity', async () => {
    const { io } = searchOf(hourly)
    const open: string[][] = []
    let current: string[] = []
    const search: Search = async (request) => {
      current.push(request.where ?? 'whole')
      await new Promise(setImmediate)
      if (current.length > 0) open.push(current)
      current = []
      return io.search(request)
    }
    await planRanges(four, known([250, 500, 750]), { ...io, search })
    expect(open.map(({ length }) => length)).toEqual([1, 8, 1])
    expect([open[0], open[2]]).toEqual([['whole'], ['whole']])
  })

  it('looks for new boundaries when a range has grown to more than twice the mean', async () => {
    const last = known([0, 1, 2])
    const plan = await planRanges(four, last, searchOf(hourly).io)
    expect(plan).toMatchObject({ kind: 'ranges', searchedAt: new Date(start).toISOString() })
    expect(plan.kind === 'ranges' && plan.boundaries).not.toEqual(last.boundaries)
  })

  it('uses unbalanced boundaries for a day after a search that found none better', async () => {
    const { io, requests } = searchOf(hourly)
    const last = { ...known([0, 1, 2], new Date(start - day + 1).toISOString()), areBest: true } as const
    expect(await planRanges(four, last, io)).toMatchObject(last)
    expect(requests).toHaveLength(10)
  })

  it('looks for new boundaries at once when the entity has grown since they were found', async () => {
    const found = await planRanges(four, undefined, searchOf(hourly.slice(0, 100)).io)
    const { io } = searchOf(hourly)
    const plan = await planRanges(four, found.kind === 'ranges' ? found : undefined, io)
    expect(plan).toMatchObject({ kind: 'ranges' })
    for (const { documents } of plan.kind === 'ranges' ? plan.filters : [])
      expect(documents).toBeLessThan(300)
  })

  it('keeps the boundaries if new ones are no better', async () => {
    const burst = Array.from({ length: 600 }, () => hourly[500] ?? '')
    const { io } = searchOf([...hourly.slice(0, 400), ...burst])
    const last = known([133, 266, 450])
    const plan = await planRanges(four, last, io)
    const searchedAt = new Date(start).toISOString()
    expect(plan).toMatchObject({ boundaries: last.boundaries, searchedAt, areBest: true })
  })

  it('drops boundaries that have too many documents', async () => {
    const burst = Array.from({ length: 300 }, () => hourly[500] ?? '')
    const plan = await planRanges(
      four,
      { ...known([250, 500, 750], new Date(start).toISOString()), areBest: true },
      searchOf([...hourly, ...burst]).io,
    )
    expect(plan).toMatchObject({ kind: 'ranges', boundaries: [hourly[250], hourly[750]], coverage: 'exact' })
  })

  it('reads again if a document is created in the meantime', async () => {
    const values = [...hourly]
    const { io, requests } = searchOf(values)
    let reads = 0
    const search: Search = async (request) => {
      if (!request.where && ++reads === 2) values.push(hourly[10] ?? '')
      return io.search(request)
    }
    const plan = await planRanges(four, known([250, 500, 750]), { ...io, search })
    expect(plan).toMatchObject({ kind: 'ranges', coverage: 'exact', total: 1_001 })
    expect(requests).toHaveLength(20)
  })

  const inNoRange = [...hourly, '', '']
  it.each([
    ['the platform ignores filters', searchOf(hourly, { ignoresFilters: true }).io, /ignore the filter/],
    ['documents are in no range', searchOf(inNoRange).io, /have 1000 documents and the entity has 1002/],
    [
      'all values are equal',
      searchOf(Array.from({ length: 9 }, () => hourly[0] ?? '')).io,
      /too few of them differ/,
    ],
    ['no value at all', searchOf([null, null]).io, /A search finds 2 documents, and none that has createdIn/],
    ['searches find nothing', searchOf([]).io, /Searches find no document of the entity/],
    ['the values are not dates', searchOf(['a', 'b', 'c']).io, /does not contain dates/],
    [
      'the field is not searchable',
      {
        ...searchOf([]).io,
        search: async () => {
          throw new SearchFailed('refused', 'The search responded with 400: the field may not be searchable.')
        },
      },
      /400/,
    ],
  ])('scrolls the whole entity when %s', async (_, io, reason) => {
    expect(await planRanges(four, undefined, io)).toEqual({
      kind: 'whole',
      reason: expect.stringMatching(reason),
    })
  })

  it('scrolls the whole entity at once when known boundaries do not cover it', async () => {
    const { io, requests } = searchOf(inNoRange)
    expect((await planRanges(four, known([250, 500, 750]), io)).kind).toBe('whole')
    expect(requests).toHaveLength(20)
  })
})
