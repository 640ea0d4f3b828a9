import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { planChunks } from '../../../../functions/tables/plan/chunks.ts'

const megabyte = 1024 * 1024
const pages = (...megabytes: readonly number[]) => megabytes.map((size) => ({ bytes: size * megabyte }))
const lengths = (...input: Parameters<typeof planChunks>) =>
  planChunks(...input).map(({ from, to }) => to - from)

describe('the chunks of a snapshot', () => {
  it.each([
    ['no pages', [], []],
    ['fewer pages than a chunk has', [1, 1], [2]],
    ['as many pages as a chunk has', [1, 1, 1], [3]],
    ['one page more', [1, 1, 1, 1], [3, 1]],
    ['as many bytes as a chunk has', [20, 20, 1], [2, 1]],
    ['a page that is larger than a chunk', [1, 300, 1], [1, 1, 1]],
    ['bytes that are counted for each chunk', [30, 20, 10, 10, 1], [1, 3, 1]],
  ])('of three pages or 40 MB each: %s', (_, sizes, expected) => {
    expect(lengths(pages(...sizes), 3)).toEqual(expected)
  })

  it('are at most 1,000, however many pages or bytes there are', () => {
    expect(lengths(pages(...Array.from({ length: 2500 }, () => 1)), 1)).toHaveLength(834)
    expect(lengths(pages(...Array.from({ length: 3000 }, () => 150)), 1000).length).toBeLessThanOrEqual(1000)
  })

  it('have every page once, in order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(300)), fc.integer({ min: 1, max: 9 }), (sizes, pagesOfChunk) => {
        const chunks = planChunks(pages(...sizes), pagesOfChunk)
        const covered = chunks.flatMap(({ from, to }) =>
          Array.from({ length: to - from }, (_, at) => from + at),
        )
        expect(covered).toEqual([...sizes.keys()])
      }),
    )
  })
})
