import { describe, expect, it } from 'vitest'
import { decideReset, type Tip } from '../../../functions/compare/reset.ts'
import type { ChangesLatest, SetManifest } from '../../../functions/state/changes/changes.ts'
import type { Manifest } from '../../../functions/state/snapshots/manifest.ts'

const chain = { tip: 'run-1', sets: [], off: false } as ChangesLatest
const set = { runId: 'run-1', idField: 'id', ignore: ['a', 'b'] } as unknown as SetManifest
const snapshot = { idField: 'id', query: { _where: 'x', in: ['1', '2'] } } as unknown as Manifest
const tip: Tip = { chain, set, snapshot }
const subject = { target: snapshot, ignore: ['b', 'a'] }
const target = (change: object) => ({ ...subject, target: { ...snapshot, ...change } })

describe('the decision whether a chain continues', () => {
  it.each([
    ['the snapshot follows the same rules', subject],
    ['only the order of the keys of the query changed', target({ query: { in: ['1', '2'], _where: 'x' } })],
  ])('continues if %s', (_, given) => {
    expect(decideReset(tip, given)).toEqual({ kind: 'continue', tip: { set, snapshot } })
  })

  const of = (change: Partial<Tip>, given = subject) => ({ tip: { ...tip, ...change }, subject: given })
  const queryChanged = "The entity's query changed."
  const ignoreChanged = 'The ignored fields changed.'

  it.each<[string, { tip: Tip | undefined; subject: typeof subject }, string]>([
    ['there is no set yet', { tip: undefined, subject }, 'It is the first change set of the entity.'],
    ['change sets were turned off', of({ chain: { ...chain, off: true } }), 'Change sets were turned off.'],
    ['the last set is gone', of({ set: undefined }), "The tip's snapshot is gone."],
    ['the snapshot is gone', of({ snapshot: undefined }), "The tip's snapshot is gone."],
    ['the id field changed', of({}, target({ idField: 'email' })), "The entity's idField changed."],
    [
      'a value of the query changed',
      of({}, target({ query: { _where: 'y', in: ['1', '2'] } })),
      queryChanged,
    ],
    ['a list of the query changed', of({}, target({ query: { _where: 'x', in: ['2', '1'] } })), queryChanged],
    ['the query has a further key', of({}, target({ query: { ...snapshot.query, a: '1' } })), queryChanged],
    ['a field is ignored as well', of({}, { ...subject, ignore: ['a', 'b', 'c'] }), ignoreChanged],
    ['another field is ignored', of({}, { ...subject, ignore: ['a', 'c'] }), ignoreChanged],
  ])('resets the chain if %s', (_, given, reason) => {
    expect(decideReset(given.tip, given.subject)).toEqual({ kind: 'reset', reason })
  })
})
