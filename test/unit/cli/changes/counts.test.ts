import { expect, it } from 'vitest'
import { rangeText } from '../../../../cli/changes/counts.ts'
import { totalsOf } from '../../../../operator/changes/chain.ts'

const set = (runId: string, counts: readonly [number, number, number]) => {
  const [created, updated, deleted] = counts
  return { runId, base: 'a', kind: 'changes', created, updated, deleted } as never
}

it('lists each set, and their sum', () => {
  const sets = [set('b', [1200, 0, 3]), set('c', [1, 20, 4])]
  expect(totalsOf(sets)).toEqual({ created: 1201, updated: 20, deleted: 7, delivered: 0 })
  expect(rangeText('CL', { since: 'a', tip: 'c', sets })).toBe(
    [
      'RUN  CREATED  UPDATED  DELETED',
      'b    1,200    0        3',
      'c    1        20       4',
      '',
      'From run a to run c: 1,201 created, 20 updated, 7 deleted.',
    ].join('\n'),
  )
})

it('lists what increments delivered in a column of its own', () => {
  const increment = { runId: 'c', base: 'b', kind: 'increment', records: 1500 } as never
  expect(rangeText('CL', { since: 'a', tip: 'c', sets: [set('b', [1, 2, 3]), increment] })).toBe(
    [
      'RUN  CREATED  UPDATED  DELETED  DELIVERED',
      'b    1        2        3        0',
      'c    0        0        0        1,500',
      '',
      'From run a to run c: 1 created, 2 updated, 3 deleted, 1,500 delivered by increments.',
    ].join('\n'),
  )
})

it('names the run since which nothing changed', () =>
  expect(rangeText('CL', { since: 'a', tip: 'b', sets: [] })).toBe('No changes of CL since run a.'))
