import { describe, expect, it } from 'vitest'
import type { Reviewed } from '../../../../functions/compare/records/reviewed.ts'
import { purposes, Selection } from '../../../../functions/compare/records/selection.ts'
import { idHashOf } from '../../../../stored/chain/delivered-versions.ts'
import { decidedFrom } from '../../../../stored/chain/document-dates.ts'
import type { StatePart } from '../../../../stored/chain/state-parts.ts'
import { FingerprintSet, fingerprintOfWords } from '../../../../stored/documents/fingerprint-set.ts'
import { writeIdHash } from '../../../../stored/documents/id-hash.ts'
import { entryWords, lineWord, pageWord } from '../../../../stored/join/entries.ts'

const protectedAfter = 1_000
const version = (deliveredAt: number) => ({ content: 'content', date: 0, deliveredAt })
const entry = (id: string, page: number) => {
  const entries = new Uint32Array(entryWords)
  writeIdHash(id, entries, 0)
  entries[pageWord] = page
  entries[lineWord] = 0
  return { entries, at: 0 }
}

/** One page of the snapshot, a part of withheld documents that were delivered, and two parts of increments. */
const stored = { bytes: 0, sha256: '', documents: 1 }
const parts: readonly StatePart[] = [
  { ...stored, key: 'page', from: 'snapshot' },
  { ...stored, key: 'withheld', from: 'withheld', countedAbsences: 0, delivered: true },
  { ...stored, key: 'earlier', from: 'increment', holds: 'records' },
  { ...stored, key: 'later', from: 'increment', holds: 'records' },
  { ...stored, key: 'undelivered', from: 'withheld', countedAbsences: 1 },
]
const [inSnapshot, inWithheld, inEarlier, inLater, inUndelivered] = [0, 1, 2, 3, 4]

const newSelection = (reviewed?: Reviewed) =>
  new Selection(parts, {
    evidence: { absences: 'proven', by: undefined },
    reviewed,
    delivered: {
      protectedAfter,
      lookbackMinutes: 90,
      covered: undefined,
      versions: new Map([
        [idHashOf('at the limit'), version(protectedAfter)],
        [idHashOf('recent'), version(protectedAfter + 1)],
      ]),
      windowEnds: new Map([
        ['earlier', protectedAfter],
        ['later', protectedAfter + 1],
      ]),
    },
  })

describe('a document that the snapshot lacks or has in another version', () => {
  it.each([
    ['is not protected', 'other', inSnapshot, 'no increment delivered it'],
    ['is not protected', 'at the limit', inSnapshot, 'its window ended as early as the limit'],
    ['is protected', 'recent', inSnapshot, 'its window ended later'],
    ['is not protected', 'other', inWithheld, 'it was withheld and is no longer remembered'],
    [
      'is not protected',
      'at the limit',
      inWithheld,
      'it was withheld and its window ended as early as the limit',
    ],
    ['is protected', 'recent', inWithheld, 'it was withheld and its window ended later'],
    ['is not protected', 'other', inEarlier, 'the window of its part ended as early as the limit'],
    ['is protected', 'other', inLater, 'the window of its part ended later'],
    [
      'is not protected',
      'at the limit',
      inLater,
      'it is remembered with an earlier window than its part has',
    ],
  ])('%s (%s, page %i) if %s', (expected, id, page) => {
    const isProtected = expected === 'is protected'
    const absent = newSelection()
    absent.onlyInBase(entry(id, page))
    const [line] = absent.base.sorted(5).ofPage(page)
    expect(line?.purpose).toBe(isProtected ? purposes.delivered : purposes.deleted)
    const present = newSelection()
    present.pair(entry(id, page), entry(id, 0))
    expect(present.isProtected(0)).toBe(isProtected)
    expect(present.keptByDelivery()).toBeUndefined()
    present.hold(0)
    const kept = { lagMinutes: 90, decidedFrom: decidedFrom(protectedAfter + 1, 90) }
    expect([absent, present].map((one) => one.keptByDelivery())).toEqual(
      isProtected ? [1, 0].map((withheld) => ({ withheld, ...kept })) : [undefined, undefined],
    )
  })
})

it.each([
  ['deleted', 'seen', inSnapshot, 'the review showed it'],
  ['deleted', 'seen', inEarlier, 'the review showed it, also if an increment delivered it'],
  ['counted', 'other', inSnapshot, 'the review did not show it'],
  ['counted', 'other', inUndelivered, 'it was withheld, and no increment had delivered it'],
  ['delivered', 'other', inWithheld, 'an increment delivered it before it was withheld'],
  ['delivered', 'other', inEarlier, 'an increment delivered it'],
] as const)(
  'an accepted set has as %s what its snapshot lacks (%s, page %i) if %s',
  (...[purpose, id, page]) => {
    const ids = new FingerprintSet(1)
    const seen = entry('seen', 0)
    ids.add(fingerprintOfWords(seen.entries, seen.at))
    const selection = newSelection({ kind: 'set', ids })
    selection.onlyInBase(entry(id, page))
    const [line] = selection.base.sorted(5).ofPage(page)
    expect([line?.purpose, selection.isReviewed]).toEqual([purposes[purpose], true])
    expect(selection.deleted).toBe(Number(purpose === 'deleted'))
  },
)
