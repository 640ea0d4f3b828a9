import { describe, expect, it } from 'vitest'
import { shortenedChain } from '../../../../stored/changes/chain-facts.ts'
import type { SetManifest } from '../../../../stored/changes/changes.ts'
import type { ChangesLatest, FullSetSummary, SetSummary } from '../../../../stored/changes/changes-latest.ts'
import { neededSetKeys } from '../../../../stored/inventory/set-reasons.ts'
import { shorteningOf } from '../../../../stored/inventory/shortening.ts'
import { erasureCutoff, isErasable, isUnneededPart } from '../../../../stored/inventory/stored-entity.ts'

const now = Date.parse('2026-03-20T12:00:00Z')
/** The id of a run that starts on a day of March 2026. */
const run = (day: number) => `202603${String(day).padStart(2, '0')}T120000000Z-0123456789ab`
const cutoff = erasureCutoff(5, now)

it('the cutoff is the id of a run that started as many days ago as content may be kept', () => {
  expect([run(14), run(15), run(16)].map((id) => id < cutoff)).toEqual([true, false, false])
})

const version = (key: string, isLatest: boolean, writtenAt = 0) => ({
  key,
  versionId: '1',
  isLatest,
  writtenAt,
})

it.each([
  ['a page of a kept snapshot', version('page', true), false],
  ['a version of it that was overwritten or deleted', version('page', false), true],
  ['another object', version('other', true), true],
])('of an old run it erases or keeps %s', (_, one, erased) => {
  expect(isErasable(one, new Set(['page']))).toBe(erased)
})

it.each([
  ['a needed object', version('part', true, 0), false],
  ['an object that was written within a day', version('other', true, now - 23 * 3_600_000), false],
  ['an object that no set needs', version('other', true, now - 25 * 3_600_000), true],
  ['a deleted version', version('part', false, 0), true],
])('of change sets it erases or keeps %s', (_, one, erased) => {
  expect(isUnneededPart(one, new Set(['part']), now)).toBe(erased)
})

const set = (day: number, absentSince?: string): FullSetSummary => ({
  runId: run(day),
  base: run(day - 1),
  kind: 'changes',
  created: 1,
  updated: 0,
  deleted: 0,
  manifest: '',
  ...(absentSince !== undefined && { absentSince }),
})
const reset = (day: number): FullSetSummary => ({ ...set(day), base: null, kind: 'reset' })
const chainOf = (...sets: SetSummary[]): ChangesLatest => ({
  tip: sets.at(-1)?.runId ?? '',
  sets,
  announced: true,
  reset: null,
  failures: null,
})
const manifest = (day: number, change: object = {}) =>
  ({
    entity: 'CL',
    runId: run(day),
    kind: 'changes',
    parts: [],
    withheldParts: [],
    ...change,
  }) as unknown as SetManifest
const withheldParts = [{ key: 'withheld' }]
function trim(chain: ChangesLatest, manifestOfTip: object = {}, isSnapshotErased = false) {
  const shortening = shorteningOf(chain, { set: manifest(18, manifestOfTip), isSnapshotErased }, cutoff)
  const last = chain.sets.findIndex(({ runId }) => runId === shortening?.through)
  return shortening && shortenedChain(chain, last + 1, shortening.reason)
}

describe('the chain', () => {
  it('stays as it is while its content may be kept', () => {
    expect(trim(chainOf(reset(1), set(17, run(15)), set(18, run(18))))).toBeUndefined()
  })

  it.each([
    ['loses sets with old content', chainOf(reset(1), set(2, run(2)), set(18, run(18))), [set(18, run(18))]],
    [
      'loses the sets before one with old content, since readers need all that follow',
      chainOf(set(17, run(17)), set(18, run(14)), set(19, run(19))),
      [set(19, run(19))],
    ],
    ['loses the set of the tip, which stays', chainOf(reset(1), set(2, run(2))), []],
    [
      'loses sets that do not record how old their content is',
      chainOf(set(17), set(18, run(18))),
      [set(18, run(18))],
    ],
  ])('%s', (_, chain, sets) => expect(trim(chain)).toEqual({ ...chain, sets }))

  it.each([
    ["the tip's snapshot is erased", {}, true, /tip's snapshot .* eraseWithinDays/],
    [
      'withheld documents are old',
      { withheldParts, withheldSince: run(14) },
      false,
      /withheld .* eraseWithinDays/,
    ],
    ['the age of withheld documents is not known', { withheldParts }, false, /withheld .* eraseWithinDays/],
  ])('starts again if %s', (...row) => {
    const [, tip, isSnapshotErased, reason] = row
    const chain = chainOf(set(18, run(18)))
    expect(trim(chain, tip, isSnapshotErased)).toEqual({
      ...chain,
      reset: expect.stringMatching(reason),
      erased: true,
    })
  })

  it('loses increments that are old, and the sets before them', () => {
    const increment = (day: number): SetSummary => ({
      runId: run(day),
      base: run(day - 1),
      kind: 'increment',
      records: 1,
      manifest: '',
    })
    const chain = chainOf(set(13, run(18)), increment(14), increment(15))
    expect(trim(chain)).toEqual({ ...chain, sets: [increment(15)] })
  })

  it.each([
    ['a part of an old increment', `changes/CL/${run(14)}/records-1.ndjson.gz`, true],
    ['a part of a new one', `changes/CL/${run(17)}/records-1.ndjson.gz`, false],
    ['a compacted part since an old snapshot', `changes/CL/${run(17)}/compacted-1.ndjson.gz`, true],
  ])('starts again if the state of the tip needs %s: %s', (...row) => {
    const [, key, restarts] = row
    const snapshot = { runId: run(13) } as ChangesLatest['snapshot'] & object
    const chain = { ...chainOf(set(18, run(18))), snapshot }
    const trimmed = trim(chain, { kind: 'increment', incrementParts: [{ key }] })
    expect(trimmed?.reset ?? '').toMatch(restarts ? /increments were erased/ : /^$/)
  })

  it('continues with withheld documents that are not old', () => {
    expect(trim(chainOf(set(18, run(18))), { withheldParts, withheldSince: run(15) })).toBeUndefined()
  })
})

it('notes that readers cannot begin, although the chain starts again for another reason', () => {
  const chain = { ...chainOf(set(18, run(18))), reset: 'An operator requested the reset.' }
  expect(trim(chain)).toBeUndefined()
  const erased = { ...chain, erased: true }
  expect(trim(chain, {}, true)).toEqual(erased)
  expect(trim(erased as ChangesLatest, {}, true)).toBeUndefined()
})

describe('the objects of change sets that are kept', () => {
  it('include the increments that new readers need, and the delivered versions', () => {
    const incrementParts = [{ key: 'earlier' }, { key: 'own' }]
    const tip = manifest(18, { kind: 'increment', parts: [{ key: 'own' }], incrementParts })
    const delivered = { key: 'versions', versions: 1, bytes: 1, sha256: '' }
    const kept = neededSetKeys({ ...chainOf(set(18, run(18))), delivered }, [tip])
    expect([...kept].toSorted()).toEqual(
      ['earlier', 'own', 'versions', `changes/CL/${run(18)}/manifest.json`].toSorted(),
    )
  })

  const parts = [{ key: 'part' }]
  const increment = (day: number) =>
    manifest(day, { kind: 'increment', parts, withheldParts, incrementParts: parts })
  const keyOf = (day: number) => `changes/CL/${run(day)}/manifest.json`

  it.each<[string, ChangesLatest, SetManifest, string[]]>([
    [
      'all of a set in the chain',
      chainOf(set(17), set(18)),
      manifest(17, { parts, withheldParts }),
      [keyOf(17), 'part', 'withheld'],
    ],
    [
      'no records of a tip that is not in the chain',
      { ...chainOf(set(18)), sets: [] },
      manifest(18, { parts, withheldParts }),
      [keyOf(18), 'withheld'],
    ],
    [
      'nothing of it once readers cannot begin there',
      { ...chainOf(set(18)), sets: [], reset: 'It was erased.', erased: true },
      manifest(18, { parts, withheldParts }),
      [],
    ],
    [
      'the withheld documents that an increment at the tip repeats',
      chainOf(set(17), set(18)),
      increment(18),
      [keyOf(18), 'part', 'withheld'],
    ],
    ['not those of an earlier increment', chainOf(set(17), set(18)), increment(17), [keyOf(17), 'part']],
    [
      'not those of the tip once readers cannot begin there',
      { ...chainOf(set(17), set(18)), reset: 'It was erased.', erased: true },
      increment(18),
      [keyOf(18), 'part'],
    ],
    ['nothing of other sets', chainOf(set(18)), manifest(17, { parts }), []],
  ])('%s', (...row) => {
    const [, chain, one, keys] = row
    expect([...neededSetKeys(chain, [one])]).toEqual(keys)
  })
})
