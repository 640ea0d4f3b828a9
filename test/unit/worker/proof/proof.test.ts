import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CommittedPage, openingCursor } from '../../../../functions/state/pages/page.ts'
import { decideProof, type FinishedAttempt } from '../../../../functions/worker/proof/decision.ts'
import { AttemptCount, countPages } from '../../../../functions/worker/proof/page-count.ts'

const attempt = (change: Partial<FinishedAttempt>): FinishedAttempt => ({
  uniqueIds: 5000,
  total: 5000,
  largestPage: 1000,
  suspect: false,
  evidence: 'confirmed',
  publishedIds: undefined,
  tolerancePercent: 1,
  earlierCleanCounts: [],
  ...change,
})

const refused = { total: 'not-reported', evidence: 'refused' } as const

describe('the proof of an attempt', () => {
  it.each<[string, Partial<FinishedAttempt>, string]>([
    ['all documents', {}, 'exact'],
    ['all documents after an unknown outcome', { suspect: true }, 'exact'],
    ['one missing', { uniqueIds: 4999 }, 'within-tolerance'],
    ['one too many', { uniqueIds: 5001 }, 'within-tolerance'],
    ['one missing after an unknown outcome', { uniqueIds: 4999, suspect: true }, 'unproven'],
    ['one too many after an unknown outcome', { uniqueIds: 5001, suspect: true }, 'unproven'],
    ['just within the tolerance', { uniqueIds: 4950 }, 'within-tolerance'],
    ['just outside the tolerance', { uniqueIds: 4949 }, 'unproven'],
    ['no tolerance', { uniqueIds: 4999, tolerancePercent: 0 }, 'unproven'],
    [
      'as many missing as the largest page has, the first time',
      { uniqueIds: 4950, largestPage: 50 },
      'unproven',
    ],
    ['one less missing than the largest page has', { uniqueIds: 4950, largestPage: 51 }, 'within-tolerance'],
    [
      'a page missing, as in an earlier attempt',
      { uniqueIds: 4950, largestPage: 50, earlierCleanCounts: [4950] },
      'within-tolerance',
    ],
    [
      'a page missing, unlike in an earlier attempt',
      { uniqueIds: 4950, largestPage: 50, earlierCleanCounts: [4949] },
      'unproven',
    ],
    ['far off, as in an earlier attempt', { uniqueIds: 2500, earlierCleanCounts: [2500] }, 'unproven'],
    ['no total', { total: 'not-reported' }, 'no-total'],
    ['no total after an unknown outcome', { total: 'not-reported', suspect: true }, 'unproven'],
    [
      'no total and an end that was not confirmed',
      { total: 'not-reported', evidence: 'unconfirmed' },
      'unproven',
    ],
    [
      'no total and an end that was not confirmed, as in an earlier attempt',
      { total: 'not-reported', evidence: 'unconfirmed', earlierCleanCounts: [5000] },
      'no-total',
    ],
    [
      'no total and an end that was not confirmed, unlike in an earlier attempt',
      { total: 'not-reported', evidence: 'unconfirmed', earlierCleanCounts: [4999] },
      'unproven',
    ],
    [
      'no total after an unknown outcome, as in an earlier attempt',
      { total: 'not-reported', suspect: true, earlierCleanCounts: [5000] },
      'unproven',
    ],
    ['no total and a refused end, as many as published', { ...refused, publishedIds: 5000 }, 'no-total'],
    ['no total and a refused end, more than published', { ...refused, publishedIds: 10 }, 'no-total'],
    [
      'no total and a refused end, almost a page less than published',
      { ...refused, publishedIds: 5999 },
      'no-total',
    ],
    [
      'no total and a refused end, a page less than published',
      { ...refused, publishedIds: 6000 },
      'unproven',
    ],
    ['no total and a refused end, and nothing is published', refused, 'unproven'],
    [
      'no total and a refused end, about as many as in an earlier attempt',
      { ...refused, publishedIds: 9000, earlierCleanCounts: [1, 4950] },
      'no-total',
    ],
    [
      'no total and a refused end, and too few in an earlier attempt',
      { ...refused, earlierCleanCounts: [4949] },
      'unproven',
    ],
    [
      'no total, a refused end and an unknown outcome',
      { ...refused, suspect: true, publishedIds: 5000, earlierCleanCounts: [5000] },
      'unproven',
    ],
    ['a total and a refused end', { evidence: 'refused' }, 'exact'],
    ['a total, one missing and a refused end', { evidence: 'refused', uniqueIds: 4999 }, 'within-tolerance'],
    [
      'one missing and an end that was not confirmed',
      { uniqueIds: 4999, evidence: 'unconfirmed' },
      'unproven',
    ],
    [
      'one missing and an end that was not confirmed, as in an earlier attempt',
      { uniqueIds: 4999, evidence: 'unconfirmed', earlierCleanCounts: [4999] },
      'within-tolerance',
    ],
    [
      'an empty range that was not confirmed',
      { uniqueIds: 0, total: 0, evidence: 'unconfirmed' },
      'unproven',
    ],
    ['a malformed total', { total: 'malformed' }, 'unproven'],
    [
      'a malformed total, as in an earlier attempt',
      { total: 'malformed', earlierCleanCounts: [5000] },
      'unproven',
    ],
    ['an empty entity', { uniqueIds: 0, total: 0 }, 'exact'],
    ['documents and a total of none', { uniqueIds: 1, total: 0 }, 'unproven'],
  ])('%s', (_, change, expected) => {
    const decision = decideProof(attempt(change))
    expect(decision.kind === 'proven' ? decision.proof : decision.kind).toBe(expected)
    expect(decision.kind === 'unproven' ? decision.reason : 'Proven.').toMatch(/\.$/)
  })

  it('needs the exact total if the attempt is suspect', () => {
    fc.assert(
      fc.property(
        fc.nat(2000),
        fc.option(fc.nat(2000), { nil: 'not-reported' as const }),
        fc.array(fc.nat(2000)),
        (uniqueIds, total, earlierCleanCounts) => {
          const decision = decideProof(attempt({ uniqueIds, total, suspect: true, earlierCleanCounts }))
          expect(decision.kind).toBe(uniqueIds === total ? 'proven' : 'unproven')
        },
      ),
    )
  })
})

describe('documents are counted by their ids', () => {
  const page = (number: number, ids: readonly number[], documentsWithoutId = 0): CommittedPage => ({
    ...openingCursor(10),
    kind: 'page',
    page: number,
    key: `p${number}`,
    documents: ids.length,
    documentsWithoutId,
    documentsSoFar: 0,
    repeatedPages: 0,
    bytes: 1,
    sha256: '',
    fingerprints: Buffer.concat(
      ids.map((id) => createHash('sha256').update(String(id)).digest().subarray(0, 8)),
    ),
  })
  async function* pages(...idsOfPages: number[][]) {
    for (const [index, ids] of idsOfPages.entries()) yield page(index + 1, ids)
  }

  it('drops a page whose ids were all seen before', async () => {
    const count = await countPages(pages([1, 2], [3, 4], [2, 1], [5]))
    expect(count.pages.map(({ key }) => key)).toEqual(['p1', 'p2', 'p4'])
    expect(count).toMatchObject({ documents: 5, uniqueIds: 5 })
  })

  it('keeps a page with a document that has no id, whatever its bytes are', async () => {
    async function* equalPages() {
      for (const number of [1, 2, 3]) yield page(number, [7, 7, 8], 2)
    }
    const count = await countPages(equalPages())
    expect(count.pages.map(({ key }) => key)).toEqual(['p1', 'p2', 'p3'])
    expect(count).toMatchObject({ documents: 9, uniqueIds: 2 })
  })

  it('keeps a document that occurs twice within other pages, and counts its id once', async () => {
    expect(await countPages(pages([1, 2, 2], [2, 3]))).toMatchObject({ documents: 5, uniqueIds: 3 })
  })

  it('finds the largest page, even if it is a repeat', async () => {
    expect(await countPages(pages([1], [2, 3], [3, 2, 2, 1]))).toMatchObject({ largestPage: 4, documents: 3 })
  })

  it('counts like a set', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.nat(300), { minLength: 1 })), async (all) => {
        expect((await countPages(pages(...all))).uniqueIds).toBe(new Set(all.flat()).size)
      }),
    )
    const many = Array.from({ length: 50 }, (_, index) =>
      Array.from({ length: 100 }, (_, at) => index * 100 + at),
    )
    expect((await countPages(pages(...many))).uniqueIds).toBe(5000)
  })

  it('counts the fingerprint zero', async () => {
    async function* zeros() {
      yield { ...page(1, [1, 2]), fingerprints: Buffer.alloc(16) }
    }
    expect((await countPages(zeros())).uniqueIds).toBe(1)
  })

  describe('by a worker that', () => {
    /** The items of pages with one document each. `reads` counts how often they are read. */
    const items = (count: number, reads: { count: number }) =>
      async function* () {
        reads.count++
        yield* pages(...Array.from({ length: count }, (_, at) => [at + 1]))
      }

    it('began the attempt, along with its commits', async () => {
      const reads = { count: 0 }
      using count = new AttemptCount(items(2, reads), { isNew: true })
      for (const number of [1, 2]) count.add(page(number, [number]))
      expect(await count.result()).toMatchObject({ documents: 2, uniqueIds: 2 })
      count.add(page(3, [3]))
      expect(await count.result()).toMatchObject({ documents: 3, uniqueIds: 3 })
      expect(reads.count).toBe(0)
    })

    it('took the attempt over, from its page items, which it reads once', async () => {
      const reads = { count: 0 }
      using count = new AttemptCount(items(3, reads), { isNew: false })
      count.add(page(3, [3]))
      expect(await count.result()).toMatchObject({ documents: 3, uniqueIds: 3 })
      count.add(page(4, [4]))
      expect(await count.result()).toMatchObject({ documents: 4, uniqueIds: 4 })
      expect(reads.count).toBe(1)
    })

    it('reads them from the first one on after a failed read', async () => {
      let fails = true
      async function* failingOnce() {
        yield page(1, [1])
        if (fails) throw new Error('The read failed.')
        yield page(2, [2])
      }
      using count = new AttemptCount(failingOnce, { isNew: false })
      await expect(count.result()).rejects.toThrow('The read failed.')
      fails = false
      expect(await count.result()).toMatchObject({ documents: 2, uniqueIds: 2 })
    })
  })
})
