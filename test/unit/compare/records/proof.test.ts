import { describe, expect, it } from 'vitest'
import { proveChanges } from '../../../../functions/compare/records/proof.ts'

const hex = (sum: number) => sum.toString(16).padStart(32, '0')
const base = { stateDocuments: 10, stateIdSum: hex(100) }
const joined = { baseDocuments: 10, targetDocuments: 9, unchanged: 5, baseIdSum: 100n, targetIdSum: 85n }
const written = {
  created: 2,
  updated: 1,
  deleted: 2,
  unchanged: 5,
  rewritten: 1,
  withheld: 1,
  held: 0,
  createdIdSum: 20n,
  deletedIdSum: 30n,
  withheldIdSum: 5n,
}

describe('the proof that a change set is complete', () => {
  it('gives the state that the set leads to, with the withheld documents', () => {
    expect(proveChanges(base, joined, written)).toEqual({ stateDocuments: 10, stateIdSum: hex(90) })
  })

  it.each([
    [
      'the base has another number of documents',
      { base: { stateDocuments: 11 } },
      'documents of the base and of its manifest differ (10 and 11)',
    ],
    [
      'the base has other ids',
      { base: { stateIdSum: hex(99) } },
      `ids of the base and of its manifest differ (${hex(100)} and ${hex(99)})`,
    ],
    [
      'a base document is not accounted for',
      { written: { deleted: 3 } },
      'documents of the base and their changes differ (10 and 11)',
    ],
    [
      'a base document counts as withheld too',
      { written: { withheld: 2 } },
      'documents of the base and their changes differ (10 and 11)',
    ],
    [
      'a document of the snapshot is not accounted for',
      { written: { created: 1 } },
      'documents of the snapshot and their changes differ (9 and 8)',
    ],
    [
      'an update was written as another document',
      { written: { updated: 0, unchanged: 6, rewritten: 1, created: 3 } },
      'documents of the snapshot and their changes differ (9 and 10)',
    ],
    [
      'the created documents have other ids',
      { written: { createdIdSum: 21n } },
      `ids before and after differ (${hex(90)} and ${hex(91)})`,
    ],
    [
      'the deleted documents have other ids',
      { written: { deletedIdSum: 31n } },
      `ids before and after differ (${hex(90)} and ${hex(89)})`,
    ],
    [
      'the withheld documents have other ids',
      { written: { withheldIdSum: 4n } },
      `ids before and after differ (${hex(89)} and ${hex(90)})`,
    ],
  ])('fails if %s', (_, change: { base?: object; written?: object }, difference) => {
    const given = { base: { ...base, ...change.base }, written: { ...written, ...change.written } }
    expect(() => proveChanges(given.base, joined, given.written)).toThrow(
      `The change set does not add up: ${difference}.`,
    )
  })
})
