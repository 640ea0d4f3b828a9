import { expect, it } from 'vitest'
import { schemaChangesText } from '../../../functions/problems/schema-changes.ts'

const none = { version: 1, entity: 'CL', runId: 'r', added: [], removed: [], retyped: [] } as const

type Changed = Partial<Record<'added' | 'removed' | 'retyped', readonly string[]>>

it('counts what the list leaves out', () => {
  const counts = { added: 150, removed: 0, retyped: 0 }
  const added = Array.from({ length: 100 }, (_, n) => `f${n}`)
  expect(schemaChangesText({ ...none, added, counts })).toContain('added f0, f1, f2, f3, f4 and 145 more.')
})

it('names the types before and after, if they are known', () => {
  const retyped = ['a', 'b', 'c', 'd']
  const types = {
    a: { before: ['string'], after: ['integer', 'decimal'] },
    b: { before: ['string'], after: [] },
    c: { before: ['integer'], after: ['integer', 'string'] },
  } as const
  const counts = { added: 0, removed: 0, retyped: 4 }
  expect(schemaChangesText({ ...none, retyped, counts, types })).toBe(
    'The fields of the documents changed in run r: changed the type of a (from string to integer or decimal), ' +
      'b (from string to null), c (from integer to integer or string), d.',
  )
})

it.each<[what: string, change: Changed, text: string]>([
  ['a new field', { added: ['town'] }, 'added town'],
  ['a field that is gone', { removed: ['address.city'] }, 'removed address.city'],
  ['another type', { retyped: ['orders'] }, 'changed the type of orders'],
  [
    'all of them',
    { added: ['a', 'b'], removed: ['c'], retyped: ['d'] },
    'added a, b; removed c; changed the type of d',
  ],
  ['at most five fields', { added: ['a', 'b', 'c', 'd', 'e'] }, 'added a, b, c, d, e'],
  ['how many others', { added: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }, 'added a, b, c, d, e and 2 more'],
  ['a path with line breaks and escapes', { added: ['a\nb c\u2028\u001b[31m'] }, 'added a?b c??[31m'],
  ['the beginning of a long path', { added: ['x'.repeat(61)] }, `added ${'x'.repeat(60)}…`],
  [
    'a path that is cut within a character',
    { added: [`${'x'.repeat(59)}\u{1F600}`] },
    `added ${'x'.repeat(59)}?…`,
  ],
])('names %s in one line', (_, change, text) => {
  const all = { ...none, ...change }
  const counts = { added: all.added.length, removed: all.removed.length, retyped: all.retyped.length }
  expect(schemaChangesText({ ...all, counts })).toBe(`The fields of the documents changed in run r: ${text}.`)
})
