import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { refusalOf } from '../../../../functions/worker/publish/guards.ts'
import { entityNamed } from '../../../entity-named.ts'

type Snapshot = Parameters<typeof refusalOf>[0]

const snapshot = (change: Partial<Snapshot>, entity: Partial<Snapshot['entity']> = {}): Snapshot => ({
  uniqueIds: 1000,
  publishedIds: 1000,
  acceptShrink: false,
  entity: entityNamed('CL', entity),
  ...change,
})

describe('a proven snapshot is published unless a guard refuses it', () => {
  it.each<[string, Snapshot, RegExp | undefined]>([
    ['the first one', snapshot({ publishedIds: undefined }), undefined],
    ['as many documents', snapshot({}), undefined],
    ['more', snapshot({ uniqueIds: 5000 }), undefined],
    ['the first after an empty one', snapshot({ publishedIds: 0 }), undefined],
    ['fewer by exactly maxShrinkPercent', snapshot({ uniqueIds: 700 }, { maxShrinkPercent: 30 }), undefined],
    [
      'fewer by more',
      snapshot({ uniqueIds: 699 }, { maxShrinkPercent: 30 }),
      /^699 .*30\.1% fewer than the 1,000 .*limit is 30% \(maxShrinkPercent\)\. Review and accept it, or sync again\.$/,
    ],
    ['fewer by more, with acceptShrink', snapshot({ uniqueIds: 1, acceptShrink: true }), undefined],
    [
      'one fewer, with maxShrinkPercent 0',
      snapshot({ uniqueIds: 999 }, { maxShrinkPercent: 0 }),
      /0\.1%.* is 0% /,
    ],
    [
      'nearly none, with maxShrinkPercent 100',
      snapshot({ uniqueIds: 1 }, { maxShrinkPercent: 100 }),
      undefined,
    ],
    ['fewer by exactly 10% by default', snapshot({ uniqueIds: 900 }), undefined],
    [
      'fewer by more than 10% and 10 documents by default',
      snapshot({ uniqueIds: 899 }),
      /10\.1% fewer .*limit is 10%, or 30% for up to 10 documents/,
    ],
    [
      'fewer by 10 documents and no more than 30% by default',
      snapshot({ uniqueIds: 25, publishedIds: 35 }),
      undefined,
    ],
    [
      'fewer by 11 documents and more than 10% by default',
      snapshot({ uniqueIds: 29, publishedIds: 40 }),
      /27\.5% fewer/,
    ],
    [
      'few documents and fewer by more than 30% by default',
      snapshot({ uniqueIds: 6, publishedIds: 9 }),
      /33\.3% fewer/,
    ],
    [
      'none',
      snapshot({ uniqueIds: 0 }),
      /^CL has no documents, and allowEmpty is not set\. To accept this, set it and deploy\.$/,
    ],
    [
      'none, the first time',
      snapshot({ uniqueIds: 0, publishedIds: undefined }),
      /^CL has no documents, and allowEmpty is not set\. To accept this, set it and deploy\.$/,
    ],
    ['none, with acceptShrink', snapshot({ uniqueIds: 0, acceptShrink: true }), /allowEmpty/],
    ['none, with maxShrinkPercent 100', snapshot({ uniqueIds: 0 }, { maxShrinkPercent: 100 }), /allowEmpty/],
    [
      'none, with allowEmpty, the first time',
      snapshot({ uniqueIds: 0, publishedIds: undefined }, { allowEmpty: true }),
      undefined,
    ],
    [
      'none, with allowEmpty, after an empty one',
      snapshot({ uniqueIds: 0, publishedIds: 0 }, { allowEmpty: true }),
      undefined,
    ],
    ['none, with allowEmpty, after many', snapshot({ uniqueIds: 0 }, { allowEmpty: true }), /100\.0%/],
    [
      'none, with allowEmpty and acceptShrink',
      snapshot({ uniqueIds: 0, acceptShrink: true }, { allowEmpty: true }),
      undefined,
    ],
  ])('%s', (_, given, reason) => {
    expect(refusalOf(given)?.reason ?? 'published').toMatch(reason ?? /^published$/)
  })

  it('is refused exactly when more than maxShrinkPercent are missing', () => {
    const count = fc.integer({ min: 1, max: 1_000_000 })
    fc.assert(
      fc.property(count, count, fc.integer({ min: 0, max: 100 }), (uniqueIds, ...given) => {
        const [publishedIds, maxShrinkPercent] = given
        const found = refusalOf(snapshot({ uniqueIds, publishedIds }, { maxShrinkPercent }))
        const allowed = BigInt(publishedIds) * BigInt(100 - maxShrinkPercent)
        expect(found !== undefined).toBe(BigInt(uniqueIds) * 100n < allowed)
      }),
    )
  })
})
