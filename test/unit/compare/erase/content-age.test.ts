import { expect, it } from 'vitest'
import { contentAge, type SetContent } from '../../../../functions/compare/erase/content-age.ts'
import type { SetManifest } from '../../../../stored/changes/changes.ts'

const base = (change: object = {}) =>
  ({ runId: 'b', kind: 'changes', withheldParts: [], ...change }) as unknown as SetManifest
const withheldParts = [{ key: 'withheld' }]
const next: SetContent = { baseRun: 'b', runId: 'c', isNext: true, withheld: 'none' }

it.each<[string, SetManifest, SetContent, object]>([
  ['the next snapshot', base(), next, { absentSince: 'c' }],
  ['a later snapshot', base(), { ...next, isNext: false }, { absentSince: 'b' }],
  ['new withheld documents', base(), { ...next, withheld: 'new' }, { absentSince: 'c', withheldSince: 'c' }],
  [
    'a base with withheld documents, which are all decided',
    base({ withheldParts, withheldSince: 'a' }),
    { ...next, withheld: 'new' },
    { absentSince: 'a', withheldSince: 'c' },
  ],
  [
    'a base with withheld documents, some of which still are',
    base({ withheldParts, withheldSince: 'a' }),
    { ...next, withheld: 'carried' },
    { absentSince: 'a', withheldSince: 'a' },
  ],
  ['withheld documents of unknown age', base({ withheldParts }), { ...next, withheld: 'carried' }, {}],
])('the content of a set is as old as its oldest: %s', (...row) => {
  const [, tip, content, age] = row
  expect(contentAge(tip, content)).toEqual(age)
})
