import { describe, expect, it } from 'vitest'
import { planRanges, type Search } from '../../../functions/partitions/plan.ts'
import { SearchFailed } from '../../../functions/partitions/search.ts'

const start = Date.UTC(2024, 0, 1)
const hour = 3_600_000
const hourly = Array.from({ length: 1_000 }, (_, index) => new Date(start + index * hour).toISOString())

/** A platform that holds documents with these values and understands the filters of ranges. */
function searchOf(values: readonly (string | null)[], options: { ignoresFilters?: true } = {}) {
  const requests: string[] = []
  const search: Search = async ({ where = '', sort }) => {
    requests.push(where)
    const matching = values.filter((value) => options.ignoresFilters || matches(where, value))
    const sorted = matching.filter((value) => value !== null).toSorted()
    return { total: matching.length, value: sort === 'DESC' ? sorted.at(-1) : sorted[0], requests: 1 }
  }
  return { search, requests }
}

function matches(where: string, value: string | null): boolean {
  if (where === '') return true
  if (where.includes('is not null')) return value !== null
  if (where.includes('is null')) return value === null
  if (value === null) return false
  const [, from, to] = /between (\S+) AND ([^\s)]+)/.exec(where) ?? []
  if (from && to) return value >= from && value <= to
  const [, sign, bound = ''] = /([<>]) (\S+) OR/.exec(where) ?? []
  return sign === '<' ? value <= bound : value >= bound
}

const four = { by: 'createdIn', count: 4 }

describe('planRanges', () => {
  it('splits documents into ranges of about equal size and includes those without a value', async () => {
    const { search } = searchOf([...hourly, null, null])
    const plan = await planRanges(four, undefined, search)
    expect(plan).toMatchObject({ kind: 'ranges', totalBefore: 1_002 })
    if (plan.kind !== 'ranges') return
    expect(plan.filters).toHaveLength(5)
    for (const total of plan.totals.slice(0, -1)) expect(total).toBeLessThan(300)
    expect(plan.totals.at(-1)).toBe(2)
  })

  it('uses the boundaries of the last snapshot again while the ranges are balanced', async () => {
    const { search, requests } = searchOf(hourly)
    const first = await planRanges(four, undefined, search)
    const boundaries = first.kind === 'ranges' ? first.boundaries : []
    requests.length = 0
    const again = await planRanges(four, boundaries, search)
    expect(again).toEqual(first)
    expect(requests).toHaveLength(6)
  })

  it('uses them again if there are fewer than were asked for, since values coincide', async () => {
    const { search, requests } = searchOf(hourly)
    const boundaries = [333, 666].map((index) => hourly[index] ?? '')
    expect(await planRanges(four, boundaries, search)).toMatchObject({ kind: 'ranges', boundaries })
    expect(requests).toHaveLength(5)
  })

  it('looks for boundaries in at most 100 requests, repeated ones included', async () => {
    const bursts = Array.from({ length: 1_000 }, (_, index) => new Date(start + index ** 4).toISOString())
    const { search } = searchOf(bursts)
    let requests = 0
    const plan = await planRanges({ by: 'createdIn', count: 10 }, undefined, async (request) => {
      const result = await search(request)
      const isBoundary = !request.where || request.sort || request.where.includes('<')
      if (isBoundary) requests += 5
      return { ...result, requests: 5 }
    })
    expect(plan.kind).toBe('ranges')
    // The totals of the entity and of the first range are not part of the search for boundaries.
    expect(requests - 2 * 5).toBeLessThanOrEqual(100)
    expect(requests).toBeGreaterThan(50)
  })

  it('reads all totals concurrently when it knows the boundaries', async () => {
    const known = [250, 500, 750].map((index) => hourly[index] ?? '')
    const { search } = searchOf(hourly)
    let open = 0
    let maxOpen = 0
    await planRanges(four, known, async (request) => {
      maxOpen = Math.max(maxOpen, ++open)
      await new Promise(setImmediate)
      open--
      return search(request)
    })
    expect(maxOpen).toBe(6)
  })

  it('looks for new boundaries when a range has grown to more than twice the mean', async () => {
    const { search } = searchOf(hourly)
    const known = [0, 1, 2].map((index) => hourly[index] ?? '')
    const plan = await planRanges(four, known, search)
    expect(plan.kind === 'ranges' && plan.boundaries).not.toEqual(known)
  })

  it.each([
    ['the platform ignores filters', searchOf(hourly, { ignoresFilters: true }).search, /ignore the filter/],
    [
      'all values are equal',
      searchOf(Array.from({ length: 9 }, () => hourly[0] ?? '')).search,
      /do not differ/,
    ],
    ['no document has a value', searchOf([null, null]).search, /do not differ/],
    ['the values are not dates', searchOf(['a', 'b', 'c']).search, /does not contain dates/],
    [
      'the field is not searchable',
      async () => {
        throw new SearchFailed('The search answered 400: the field may not be searchable.')
      },
      /400/,
    ],
  ] as const)('scrolls the whole entity when %s', async (_, search, reason) => {
    expect(await planRanges(four, undefined, search)).toEqual({
      kind: 'whole',
      reason: expect.stringMatching(reason),
    })
  })
})
