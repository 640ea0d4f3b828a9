import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { refusal } from '../../../functions/worker/publish/guards.ts'
import { entityNamed } from '../../entity-named.ts'

type Snapshot = Parameters<typeof refusal>[0]

const snapshot = (change: Partial<Snapshot>, entity: Partial<Snapshot['entity']> = {}): Snapshot => ({
  documents: 1000,
  publishedDocuments: 1000,
  acceptShrink: false,
  entity: entityNamed('CL', entity),
  ...change,
})

describe('a whole snapshot is published unless a guard holds it back', () => {
  it.each<[string, Snapshot, RegExp | undefined]>([
    ['the first one', snapshot({ publishedDocuments: undefined }), undefined],
    ['as many documents', snapshot({}), undefined],
    ['more', snapshot({ documents: 5000 }), undefined],
    ['the first after an empty one', snapshot({ publishedDocuments: 0 }), undefined],
    ['just as much fewer as is allowed', snapshot({ documents: 700 }), undefined],
    [
      'fewer by more',
      snapshot({ documents: 699 }),
      /699 .*30\.1% fewer than the 1000 .*"acceptShrink": true/,
    ],
    ['fewer by more, accepted', snapshot({ documents: 1, acceptShrink: true }), undefined],
    ['one fewer, none allowed', snapshot({ documents: 999 }, { maxShrinkPercent: 0 }), /0\.1%.* is 0\./],
    ['nearly none, all allowed', snapshot({ documents: 1 }, { maxShrinkPercent: 100 }), undefined],
    ['none', snapshot({ documents: 0 }), /CL is empty.*allowEmpty/],
    [
      'none, the first time',
      snapshot({ documents: 0, publishedDocuments: undefined }),
      /CL is empty.*allowEmpty/,
    ],
    ['none, accepted as a shrink', snapshot({ documents: 0, acceptShrink: true }), /allowEmpty/],
    ['none, all shrinking allowed', snapshot({ documents: 0 }, { maxShrinkPercent: 100 }), /allowEmpty/],
    [
      'none, empty allowed, the first time',
      snapshot({ documents: 0, publishedDocuments: undefined }, { allowEmpty: true }),
      undefined,
    ],
    [
      'none, empty allowed, after an empty one',
      snapshot({ documents: 0, publishedDocuments: 0 }, { allowEmpty: true }),
      undefined,
    ],
    [
      'none, empty allowed, after many',
      snapshot({ documents: 0 }, { allowEmpty: true }),
      /100\.0%.*acceptShrink/,
    ],
    ['none, all allowed', snapshot({ documents: 0, acceptShrink: true }, { allowEmpty: true }), undefined],
  ])('%s', (_, given, reason) => {
    expect(refusal(given) ?? 'published').toMatch(reason ?? /^published$/)
  })

  it('is refused exactly when more than maxShrinkPercent are gone', () => {
    const count = fc.integer({ min: 1, max: 1_000_000 })
    fc.assert(
      fc.property(count, count, fc.integer({ min: 0, max: 100 }), (documents, ...given) => {
        const [publishedDocuments, maxShrinkPercent] = given
        const found = refusal(snapshot({ documents, publishedDocuments }, { maxShrinkPercent }))
        const allowed = BigInt(publishedDocuments) * BigInt(100 - maxShrinkPercent)
        expect(found !== undefined).toBe(BigInt(documents) * 100n < allowed)
      }),
    )
  })
})
