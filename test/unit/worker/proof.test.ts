import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CommittedPage } from '../../../functions/state/page.ts'
import { type AttemptCount, decideProof } from '../../../functions/worker/proof/decision.ts'
import { countPages } from '../../../functions/worker/proof/page-count.ts'

const attempt = (change: Partial<AttemptCount>): AttemptCount => ({
  uniqueIds: 5000,
  total: 5000,
  pageSize: 1000,
  suspect: false,
  tolerancePercent: 1,
  earlierCleanCounts: [],
  ...change,
})

describe('the count decides whether an attempt is whole', () => {
  it.each<[string, Partial<AttemptCount>, string]>([
    ['all are there', {}, 'exact'],
    ['all are there after an unknown outcome', { suspect: true }, 'exact'],
    ['one is missing', { uniqueIds: 4999 }, 'within-tolerance'],
    ['one too many', { uniqueIds: 5001 }, 'within-tolerance'],
    ['one is missing after an unknown outcome', { uniqueIds: 4999, suspect: true }, 'not whole'],
    ['one too many after an unknown outcome', { uniqueIds: 5001, suspect: true }, 'not whole'],
    ['just within the tolerance', { uniqueIds: 4950 }, 'within-tolerance'],
    ['just outside', { uniqueIds: 4949 }, 'not whole'],
    ['no tolerance', { uniqueIds: 4999, tolerancePercent: 0 }, 'not whole'],
    ['a page is missing the first time', { uniqueIds: 4950, pageSize: 50 }, 'not whole'],
    [
      'the same page again',
      { uniqueIds: 4950, pageSize: 50, earlierCleanCounts: [4950] },
      'within-tolerance',
    ],
    ['another number again', { uniqueIds: 4950, pageSize: 50, earlierCleanCounts: [4949] }, 'not whole'],
    ['the same number, far off', { uniqueIds: 2500, earlierCleanCounts: [2500] }, 'not whole'],
    ['no total', { total: undefined }, 'no-total'],
    ['no total after an unknown outcome', { total: undefined, suspect: true }, 'not whole'],
    ['an empty entity', { uniqueIds: 0, total: 0 }, 'exact'],
    ['documents where none should be', { uniqueIds: 1, total: 0 }, 'not whole'],
  ])('%s', (_, change, expected) => {
    const verdict = decideProof(attempt(change))
    expect(verdict.whole ? verdict.proof : 'not whole').toBe(expected)
    expect(verdict.whole ? 'no reason.' : verdict.reason).toMatch(/\.$/)
  })

  it('a suspect attempt is whole only if it is exact', () => {
    fc.assert(
      fc.property(
        fc.nat(2000),
        fc.option(fc.nat(2000), { nil: undefined }),
        fc.array(fc.nat(2000)),
        (found, total, counts) => {
          const verdict = decideProof(
            attempt({ uniqueIds: found, total, suspect: true, earlierCleanCounts: counts }),
          )
          expect(verdict.whole).toBe(found === total)
        },
      ),
    )
  })
})

describe('documents are counted by their ids', () => {
  const page = (number: number, ids: readonly number[]): CommittedPage => ({
    page: number,
    key: `p${number}`,
    documents: ids.length,
    documentsSoFar: 0,
    bytes: 1,
    sha256: '',
    fingerprints: Buffer.concat(
      ids.map((id) => createHash('sha256').update(String(id)).digest().subarray(0, 8)),
    ),
    token: undefined,
    total: undefined,
    pageSize: 10,
    answeredAt: 0,
    end: false,
  })
  async function* pages(...idsOfPages: number[][]) {
    for (const [index, ids] of idsOfPages.entries()) yield page(index + 1, ids)
  }

  it('leaves out a page whose ids were all seen before', async () => {
    const tally = await countPages(pages([1, 2], [3, 4], [2, 1], [5]))
    expect(tally.pages.map(({ key }) => key)).toEqual(['p1', 'p2', 'p4'])
    expect(tally).toMatchObject({ documents: 5, uniqueIds: 5 })
  })

  it('keeps a document that comes twice within other pages, and counts its id once', async () => {
    expect(await countPages(pages([1, 2, 2], [2, 3]))).toMatchObject({ documents: 5, uniqueIds: 3 })
  })

  it('counts as a set does, however many there are', async () => {
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

  it('counts the fingerprint of zeros', async () => {
    async function* zeros() {
      yield { ...page(1, [1, 2]), fingerprints: Buffer.alloc(16) }
    }
    expect((await countPages(zeros())).uniqueIds).toBe(1)
  })
})
