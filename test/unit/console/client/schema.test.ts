import { expect, it } from 'vitest'
import { presentText, typesText } from '../../../../console/client/model/schema-texts.ts'

const field = (types: Readonly<Record<string, number>>, change: object = {}) => ({
  path: 'a',
  present: 10,
  nulls: 0,
  timestamps: 0,
  types: Object.entries(types).map(([type, count]) => ({ type, count })),
  ...change,
})

it.each([
  [field({ string: 10 }), 'string'],
  [field({ string: 10 }, { timestamps: 10 }), 'timestamp'],
  [field({ string: 10 }, { timestamps: 9 }), 'string'],
  [field({ integer: 1200 }, { nulls: 3 }), 'integer 1,200, null 3'],
  [field({}, { nulls: 3 }), 'null'],
])('the types of %j are %s', (given, expected) => expect(typesText(given)).toBe(expected))

it.each([
  [10, 10, 'all'],
  [5, 10, '50.0%'],
  [5, 10_000, '5'],
])('%d of %d documents are %s', (present, documents, expected) => {
  expect(presentText({ present }, documents)).toBe(expected)
})
