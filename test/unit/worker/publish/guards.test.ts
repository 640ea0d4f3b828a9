import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { refusalReason } from '../../../../functions/worker/publish/guards.ts'
import { entityNamed } from '../../../entity-named.ts'

type Snapshot = Parameters<typeof refusalReason>[0]

const snapshot = (change: Partial<Snapshot>, entity: Partial<Snapshot['entity']> = {}): Snapshot => ({
  documents: 1000,
  publishedDocuments: 1000,
  acceptShrink: false,
  entity: entityNamed('CL', entity),
  ...change,
})

describe('a proven snapshot is published unless a guard refuses it', () => {
  it.each<[string, Snapshot, RegExp | undefined]>([
    ['the first one', snapshot({ publishedDocuments: undefined }), undefined],
    ['as many documents', snapshot({}), undefined],
    ['more', snapshot({ documents: 5000 }), undefined],
    ['the first after an empty one', snapshot({ publishedDocuments: 0 }), undefined],
    ['fewer by exactly maxShrinkPercent', snapshot({ documents: 700 }), undefined],
    [
      'fewer by more',
      snapshot({ documents: 699 }),
      /699 .*30\.1% fewer than the 1000 .*"acceptShrink": true/,
    ],
    ['fewer by more, with acceptShrink', snapshot({ documents: 1, acceptShrink: true }), undefined],
    [
      'one fewer, with maxShrinkPercent 0',
      snapshot({ documents: 999 }, { maxShrinkPercent: 0 }),
      /0\.1%.* is 0\./,
    ],
    [
      'nearly none, with maxShrinkPercent 100',
      snapshot({ documents: 1 }, { maxShrinkPercent: 100 }),
      undefined,
    ],
    ['none', snapshot({ documents: 0 }), /CL has no documents.*allowEmpty.* and deploy, then .*acceptShrink/],
    [
      'none, the first time',
      snapshot({ documents: 0, publishedDocuments: undefined }),
      /CL has no documents.*allowEmpty/,
    ],
    ['none, with acceptShrink', snapshot({ documents: 0, acceptShrink: true }), /allowEmpty/],
    [
      'none, with maxShrinkPercent 100',
      snapshot({ documents: 0 }, { maxShrinkPercent: 100 }),
      /allowEmpty .* deploy\.$/,
    ],
    [
      'none, with allowEmpty, the first time',
      snapshot({ documents: 0, publishedDocuments: undefined }, { allowEmpty: true }),
      undefined,
    ],
    [
      'none, with allowEmpty, after an empty one',
      snapshot({ documents: 0, publishedDocuments: 0 }, { allowEmpty: true }),
      undefined,
    ],
    [
      'none, with allowEmpty, after many',
      snapshot({ documents: 0 }, { allowEmpty: true }),
      /100\.0%.*acceptShrink/,
    ],
    [
      'none, with allowEmpty and acceptShrink',
      snapshot({ documents: 0, acceptShrink: true }, { allowEmpty: true }),
      undefined,
    ],
  ])('%s', (_, given, reason) => {
    expect(refusalReason(given) ?? 'published').toMatch(reason ?? /^published$/)
  })

  it('is refused exactly when more than maxShrinkPercent are missing', () => {
    const count = fc.integer({ min: 1, max: 1_000_000 })
    fc.assert(
      fc.property(count, count, fc.integer({ min: 0, max: 100 }), (documents, ...given) => {
        const [publishedDocuments, maxShrinkPercent] = given
        const found = refusalReason(snapshot({ documents, publishedDocuments }, { maxShrinkPercent }))
        const allowed = BigInt(publishedDocuments) * BigInt(100 - maxShrinkPercent)
        expect(found !== undefined).toBe(BigInt(documents) * 100n < allowed)
      }),
    )
  })
})
