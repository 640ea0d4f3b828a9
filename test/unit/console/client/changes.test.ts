import { expect, it } from 'vitest'
import { changeSides, changeText, fieldText, updateText } from '../../../../console/client/model/record.ts'
import {
  countCells,
  countColumns,
  countFacts,
  firstRecord,
  recordPages,
  recordsNotice,
} from '../../../../console/client/model/set-counts.ts'
import type { FieldChange, RecordsResponse } from '../../../../console/contract/change-sets.ts'

const counts = { created: 1200, updated: 3, deleted: 1, delivered: 0 }
const set = { runId: 'r', base: 'a', kind: 'changes', ...counts } as const
const reset = { ...set, kind: 'reset' } as const
const respond = (change: object = {}) =>
  ({ set, counts: null, audit: null, stateDocuments: 90, total: 4, ...change }) as RecordsResponse

it('shows the counts of a change set, and none of a reset', () => {
  expect(countCells(set, countColumns([set, reset]))).toEqual([
    ['created', '1,200'],
    ['updated', '3'],
    ['deleted', '1'],
  ])
  expect(countCells(reset, countColumns([reset]))).toBeUndefined()
})

it('shows what increments delivered in a column of its own', () => {
  const increment = {
    ...set,
    kind: 'increment',
    created: 0,
    updated: 0,
    deleted: 0,
    delivered: 1500,
  } as const
  const columns = countColumns([set, increment])
  expect(countCells(set, columns)?.map(([, count]) => count)).toEqual(['1,200', '3', '1', '–'])
  expect(countCells(increment, columns)?.map(([, count]) => count)).toEqual(['–', '–', '–', '1,500'])
  expect(countFacts(respond({ set: increment, stateDocuments: null }))).toEqual([['Delivered', '1,500']])
})

it('names the counts of a change set', () => {
  const counts = { unchanged: 70, rewritten: 2, withheld: 5, held: 19, baseDocuments: 1080 }
  expect(countFacts(respond({ counts }))).toEqual([
    ['Created', '1,200'],
    ['Updated', '3'],
    ['Deleted', '1'],
    ['Unchanged', '70'],
    ['Rewritten', '2'],
    ['Withheld', '5'],
    ['Held', '19'],
    ['Documents before', '1,080'],
    ['Documents after', '90'],
  ])
  const audit = { missed: 3, invisible: 0 }
  expect(countFacts(respond({ audit }))).toContainEqual(['Missed by increments', '3'])
  expect(countFacts(respond()).map(([name]) => name)).toEqual([
    'Created',
    'Updated',
    'Deleted',
    'Documents after',
  ])
})

it.each([
  [respond({ set: reset, total: 0 }), 'reset'],
  [respond({ total: 0 }), 'nothing'],
  [respond(), undefined],
])('in place of the records (%#) shows %j', (shown, notice) => expect(recordsNotice(shown)).toBe(notice))

it.each([
  [0, 0],
  [50, 1],
  [51, 2],
])('%i records have %i pages', (total, pages) => expect(recordPages(total)).toBe(pages))

it('pages of records begin after those before them', () =>
  expect([0, 2].map(firstRecord)).toEqual(['0', '100']))

const value = (text: string) => ({ text, length: text.length })
const change = (name: string, sides: object): FieldChange => ({ name, before: null, after: null, ...sides })

it('shows the sides of a change that exist', () => {
  const [before, after] = [value('1'), value('2')]
  const shown = (sides: object) =>
    changeSides(change('a', sides)).map(({ side, label, value }) => [side, label, value.text])
  const [first, last] = [
    ['before', 'Before', '1'],
    ['after', 'After', '2'],
  ]
  expect(shown({ before, after })).toEqual([first, last])
  expect(shown({ before })).toEqual([first])
  expect(shown({ after })).toEqual([last])
})

it('finds whole values by the name of their field', () => {
  const fields = [
    { name: 'a', value: value('1') },
    { name: 'b', value: value('2') },
  ]
  expect(['b', 'c'].map((name) => fieldText({ fields }, name))).toEqual(['2', ''])
  const changes = [change('a', { after: value('1') }), change('b', { before: value('2'), after: value('3') })]
  expect(changeText({ changes }, 'b', 'before')).toBe('2')
  expect(changeText({ changes }, 'b', 'after')).toBe('3')
  expect(changeText({ changes }, 'a', 'before')).toBe('')
  expect(changeText({ changes }, 'c', 'after')).toBe('')
})

it.each([
  ['updated', '1 field changed, 1,200 unchanged'],
  ['created', ''],
  ['deleted', ''],
] as const)('the text of a document that was %s is %j', (kind, text) => {
  expect(updateText({ kind, changes: [change('a', {})], unchanged: 1200 })).toBe(text)
})
