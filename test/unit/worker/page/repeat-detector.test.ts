import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { RepeatDetector, repeatDetectorAt } from '../../../../functions/worker/page/repeat-detector.ts'
import { type ReportedTotal, startPosition } from '../../../../stored/pages/page.ts'

const page = (ids: readonly number[], documentsWithoutId = 0) => ({
  documentsWithoutId,
  fingerprints: Buffer.concat(
    ids.map((id) => createHash('sha256').update(String(id)).digest().subarray(0, 8)),
  ),
})
const isRepeatAt = (total: ReportedTotal, ...pages: ReturnType<typeof page>[]) => {
  const repeats = new RepeatDetector()
  return pages.map((one) => repeats.isRepeat(one, total))
}
const isRepeat = (...pages: ReturnType<typeof page>[]) => isRepeatAt(1000, ...pages)

describe('a repeated page', () => {
  it('contains only ids of earlier pages', () => {
    expect(isRepeat(page([1, 2]), page([3]), page([2, 3, 1]), page([1, 4]), page([4]))).toEqual([
      false,
      false,
      true,
      false,
      true,
    ])
  })

  it('has no document without an id', () =>
    expect(isRepeat(page([1, 2], 1), page([1, 2], 1), page([1, 2]))).toEqual([false, false, true]))

  it.each(['not-reported', 'malformed', 20_000] as const)(
    'is not found where all documents are new and the total is %s',
    (total) => {
      const pages = Array.from({ length: 1000 }, (_, index) =>
        page(Array.from({ length: 20 }, (_, at) => index * 20 + at)),
      )
      expect(isRepeatAt(total, ...pages).filter(Boolean)).toEqual([])
    },
  )

  /** Pages of documents whose fingerprints are these numbers. */
  const numbered = (...pages: (readonly number[])[]) =>
    pages.map((numbers) => {
      const fingerprints = Buffer.alloc(8 * numbers.length)
      for (const [index, number] of numbers.entries()) fingerprints.writeUInt32LE(number, 8 * index)
      return { documentsWithoutId: 0, fingerprints }
    })

  it.each<[string, ReportedTotal, number]>([
    ['64,000 for a small total', 1, 2 ** 16],
    ['32 for each document', 100_000, 2 ** 22],
    ['33 million at most', 1e9, 2 ** 25],
    ['33 million without a total', 'not-reported', 2 ** 25],
  ])('is found by as many bits as %s', (_, total, bits) => {
    expect(isRepeatAt(total, ...numbered([5], [5 + bits / 2], [5 + bits]))).toEqual([false, false, true])
  })

  it('is found until 99% of the bits are set', () => {
    const first = Array.from({ length: 64_880 }, (_, index) => index)
    expect(isRepeatAt(1, ...numbered(first, [0], [64_880], [0]))).toEqual([false, true, false, false])
  })

  it('is found by the worker that continues after a repeated page', async () => {
    async function* before() {
      yield page([1, 2])
    }
    const detectorAfter = (repeatedPages: number) =>
      repeatDetectorAt({ ...startPosition(10), kind: 'page', page: 5, repeatedPages }, before)
    expect((await detectorAfter(1)).isRepeat(page([2, 1]), 1000)).toBe(true)
    expect((await detectorAfter(0)).isRepeat(page([2, 1]), 1000)).toBe(false)
  })

  it('is never found once far more documents arrived than the total', () => {
    const many = Array.from({ length: 400_000 }, (_, index) => index)
    expect(isRepeatAt(1000, ...numbered(many, many))).toEqual([false, false])
  })
})
