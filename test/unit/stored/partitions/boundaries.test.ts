import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findBoundaries } from '../../../../stored/partitions/boundaries.ts'

/** A platform that has documents with these times, and the requests that it received. */
function platformWith(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b)
  const platform = {
    requests: 0,
    spread: { firstMs: sorted[0] ?? 0, lastMs: sorted.at(-1) ?? 0, total: sorted.length },
    countUpTo: async (timeMs: number) => {
      platform.requests++
      return { documents: sorted.filter((time) => time <= timeMs).length, requests: 1 }
    },
    sizes(boundaries: readonly string[]) {
      const ends = [...boundaries.map((boundary) => Date.parse(boundary)), Number.POSITIVE_INFINITY]
      return ends.map((end, index) => {
        const start = ends[index - 1] ?? Number.NEGATIVE_INFINITY
        return sorted.filter((time) => time > start && time <= end).length
      })
    },
  }
  return platform
}

const start = Date.UTC(2020, 0, 1)
const day = 86_400_000
const maxRequests = 90

describe('findBoundaries', () => {
  it.each([
    ['evenly', (share: number) => share],
    ['mostly in the last months', (share: number) => share ** 0.1],
    ['mostly in the first months', (share: number) => share ** 8],
    ['in two bursts', (share: number) => (share < 0.5 ? share * 0.01 : 0.9 + share * 0.01)],
  ])('cuts documents that were created %s into ranges of about equal size', async (_, curve) => {
    const times = Array.from({ length: 8_000 }, (_, at) => start + Math.round(curve(at / 8_000) * 900 * day))
    const platform = platformWith(times)
    const boundaries = await findBoundaries(platform.spread, { count: 8, maxRequests }, platform.countUpTo)
    expect(boundaries).toHaveLength(7)
    for (const size of platform.sizes(boundaries)) expect(size).toBeLessThan(1_300)
    expect(platform.requests).toBeLessThanOrEqual(maxRequests)
  })

  it('returns ascending boundaries of an entity that loses documents between two counts', async () => {
    const spread = { firstMs: 0, lastMs: 3, total: 300 }
    const counts = new Map([
      [0, 180],
      [2, 110],
    ])
    const boundaries = await findBoundaries(spread, { count: 3, maxRequests }, async (timeMs) => ({
      documents: counts.get(timeMs) ?? 0,
      requests: 1,
    }))
    expect(boundaries).toEqual(['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.002Z'])
  })

  it('returns distinct ascending boundaries between the values, in at most that many requests', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: start, max: start + 900 * day }), { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 2, max: 10 }),
        async (times, count) => {
          const platform = platformWith(times)
          const boundaries = await findBoundaries(platform.spread, { count, maxRequests }, platform.countUpTo)
          expect(boundaries.length).toBeLessThan(count)
          expect([...new Set(boundaries)].toSorted()).toEqual(boundaries)
          for (const boundary of boundaries) {
            expect(Date.parse(boundary)).toBeGreaterThanOrEqual(platform.spread.firstMs)
            expect(Date.parse(boundary)).toBeLessThan(platform.spread.lastMs)
          }
          expect(platform.requests).toBeLessThanOrEqual(maxRequests)
        },
      ),
    )
  })
})
