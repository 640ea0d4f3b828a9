import { describe, expect, it } from 'vitest'
import { decideReset, type Tip } from '../../../functions/compare/reset.ts'
import { continuationOf } from '../../../functions/publisher/check/set/reset.ts'
import type { SetManifest } from '../../../stored/changes/changes.ts'
import type { ChangesLatest } from '../../../stored/changes/changes-latest.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'

const chain: ChangesLatest = { tip: 'run-1', sets: [], announced: false, reset: null, failures: null }
const set = {
  runId: 'run-1',
  idField: 'id',
  ignore: ['a', 'b'],
  stateDocuments: 100,
} as unknown as SetManifest
const snapshot = {
  idField: 'id',
  query: { _where: 'x', in: ['1', '2'] },
  proof: 'exact',
  uniqueIds: 100,
} as unknown as Manifest
/** Five documents are withheld. */
const tip: Tip = { chain, set, setSha256: 'b', snapshot: { ...snapshot, uniqueIds: 95 } }
const subject = { target: snapshot, sha256: 'a', ignore: ['b', 'a'], maxDeletePercent: 10 }
const target = (change: object) => ({ ...subject, target: { ...snapshot, ...change } })

describe('the decision whether a chain continues', () => {
  it.each([
    ['the snapshot follows the same rules', subject],
    ['only the order of the keys of the query changed', target({ query: { in: ['1', '2'], _where: 'x' } })],
  ])('continues if %s', (_, given) => {
    expect(decideReset(tip, given)).toEqual({ kind: 'continue', tip })
    const { setSha256: _sha256, ...known } = tip
    expect(continuationOf(tip, given)).toEqual({ kind: 'changes', tip: known })
  })

  const of = (change: Partial<Tip>, given = subject) => ({ tip: { ...tip, ...change }, subject: given })
  const queryChanged = "The entity's query changed."
  const ignoreChanged = 'The ignored fields changed.'

  it.each<[string, { tip: Tip | undefined; subject: typeof subject }, string]>([
    ['there is no set yet', { tip: undefined, subject }, 'It is the first change set of the entity.'],
    ['a reset was requested', of({ chain: { ...chain, reset: 'Requested.' } }), 'Requested.'],
    ['the last set is gone', of({ set: undefined }), "The tip's snapshot is gone."],
    ['the snapshot is gone', of({ snapshot: undefined }), "The tip's snapshot is gone."],
    ['the id field changed', of({}, target({ idField: 'email' })), "The entity's idField changed."],
    ['a query value changed', of({}, target({ query: { _where: 'y', in: ['1', '2'] } })), queryChanged],
    ['a list of the query changed', of({}, target({ query: { _where: 'x', in: ['2', '1'] } })), queryChanged],
    ['the query has a further key', of({}, target({ query: { ...snapshot.query, a: '1' } })), queryChanged],
    ['a field is ignored as well', of({}, { ...subject, ignore: ['a', 'b', 'c'] }), ignoreChanged],
    ['another field is ignored', of({}, { ...subject, ignore: ['a', 'c'] }), ignoreChanged],
  ])('resets the chain if %s', (_, given, reason) => {
    for (const decide of [decideReset, continuationOf])
      expect(decide(given.tip, given.subject)).toEqual({ kind: 'reset', reason })
  })

  const failing = 'Comparisons from the tip kept failing, because of damaged pages or too many changes.'
  const failures = (count: number, hours: number) => ({
    count,
    first: '2026-01-01T00:00:00.000Z',
    last: new Date(Date.UTC(2026, 0, 1, hours)).toISOString(),
  })
  const tooManyDeletes = 'The change set deletes 11 of 100 documents (11.0%); maxDeletePercent is 10.'

  it.each<[string, ReturnType<typeof failures>, object, { kind: string; reason?: string }]>([
    ['three failures over 24 hours', failures(3, 24), {}, { kind: 'reset', reason: failing }],
    ['more failures over more hours', failures(9, 90), {}, { kind: 'reset', reason: failing }],
    ['two failures', failures(2, 90), {}, { kind: 'continue' }],
    ['failures over less than 24 hours', failures(9, 23), {}, { kind: 'continue' }],
    ['a snapshot without a total', failures(3, 24), { proof: 'no-total' }, { kind: 'reset' }],
    ['a snapshot that is not proven', failures(3, 24), { proof: 'within-tolerance' }, { kind: 'continue' }],
    ['ten ids fewer', failures(3, 24), { uniqueIds: 90 }, { kind: 'reset' }],
    ['eleven ids fewer', failures(3, 24), { uniqueIds: 89 }, { kind: 'refused', reason: tooManyDeletes }],
  ])('after %s', (...[, given, change, expected]) => {
    const failed = { ...tip, chain: { ...chain, failures: given } }
    expect(decideReset(failed, target(change))).toMatchObject(expected)
    const { kind } = expected
    const guarded = { kind: 'guarded-reset', reason: failing, baseDocuments: 100 }
    const ofPublisher = kind === 'continue' ? { kind: 'changes' } : guarded
    expect(continuationOf(failed, target(change))).toMatchObject(ofPublisher)
  })

  it('counts the ids of the snapshot after failures if nobody knows the state, as after an increment', () => {
    const unknown = { ...set, stateDocuments: null } as unknown as SetManifest
    const repeated = { ...snapshot, documents: 1000, uniqueIds: 100 }
    const failed = {
      ...tip,
      set: unknown,
      snapshot: repeated,
      chain: { ...chain, failures: failures(3, 24) },
    }
    expect(decideReset(failed, target({ documents: 900, uniqueIds: 90 }))).toMatchObject({ kind: 'reset' })
    expect(decideReset(failed, target({ documents: 1000, uniqueIds: 89 }))).toMatchObject({
      kind: 'refused',
      deleted: 11,
      baseDocuments: 100,
    })
    expect(continuationOf(failed, target({}))).toMatchObject({ baseDocuments: 100 })
  })

  it('resets after failures if the deletes are accepted', () => {
    const accepted = { ...target({ uniqueIds: 1 }), maxDeletePercent: 100 }
    const failed = { ...tip, chain: { ...chain, failures: failures(3, 24) } }
    expect(decideReset(failed, accepted)).toMatchObject({ kind: 'reset' })
  })
})
