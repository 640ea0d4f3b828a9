import { expect, it } from 'vitest'
import { ChangeSummaryCounter } from '../../../../operator/review/change-summary.ts'
import { decimalOf, ExactSum } from '../../../../operator/review/exact-sum.ts'
import { summaryLines } from '../../../../operator/review/summary-lines.ts'

type Side = object | undefined

function linesOf(records: readonly (readonly [before: Side, after: Side])[], others: readonly object[] = []) {
  const counter = new ChangeSummaryCounter(new Set(['seen']))
  for (const other of others)
    counter.addOther(new Map(Object.entries(other).map(([name, value]) => [name, JSON.stringify(value)])))
  const textOf = (side: Side) => (side === undefined ? undefined : JSON.stringify(side))
  for (const [before, after] of records) counter.add(textOf(before), textOf(after))
  return summaryLines(counter.result())
}

const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index))

it('counts in how many documents a field changed, and sums numbers', () => {
  const updates = times(
    19,
    (index) =>
      [
        { id: index, total: 10, seen: 1 },
        { id: index, total: 659.75, seen: 2 },
      ] as const,
  )
  expect(linesOf(updates)).toEqual(['total changed in 19 documents, sum +12,345.25.'])
})

it('names the values between which a field changed', () => {
  const paid = times(
    10,
    (id) =>
      [
        { id, status: 'open' },
        { id, status: 'paid' },
      ] as const,
  )
  expect(linesOf([...paid, [{ id: 11, status: 'open' }, { id: 11 }]])).toEqual([
    'status changed in 11 documents: "open" → "paid" in 10, "open" → missing in 1.',
  ])
  const names = times(
    9,
    (id) =>
      [
        { id, name: `a${id}` },
        { id, name: `b${id}` },
      ] as const,
  )
  expect(linesOf(names)).toEqual(['name changed in 9 documents.'])
  expect(linesOf(names.slice(0, 1))).toEqual(['name changed in 1 document: "a0" → "b0".'])
})

it('names no values if there are more than fifty changes, or if any is long', () => {
  const updated = (before: string, after: string) => [{ name: before }, { name: after }] as const
  const twice = times(2, () => updated('open', 'paid'))
  const once = (count: number) => times(count, (index) => updated(`a${index}`, `b${index}`))
  expect(linesOf([...twice, ...once(49)])).toEqual([
    'name changed in 51 documents: "open" → "paid" in 2, "a0" → "b0" in 1, "a1" → "b1" in 1, and others.',
  ])
  expect(linesOf([...twice, ...once(50)])).toEqual(['name changed in 52 documents.'])
  expect(linesOf([...twice, updated('a', 'b'.repeat(59))])).toEqual(['name changed in 3 documents.'])
})

it('finds what created and deleted documents have in common, unless all others have it too', () => {
  const deleted = times(20, (id) => [{ id, country: 'BR', active: true }, undefined] as const)
  const created = times(5, (id) => [undefined, { id: 50 + id, country: 'AR', active: true }] as const)
  const others = times(30, (id) => ({ id: 100 + id, country: id % 2 === 0 ? 'PT' : 'ES', active: true }))
  expect(linesOf([...deleted, ...created], others)).toEqual([
    '100% of the 20 documents that were deleted have country "BR".',
    '100% of the 5 documents that were created have country "AR".',
  ])
  expect(linesOf([])).toEqual([])
})

it('begins with the fields that changed in most documents', () => {
  const [one, two] = [
    { a: 1, b: 1 },
    { a: 2, b: 2 },
  ]
  expect(
    linesOf([
      [one, two],
      [one, { ...one, b: 3 }],
    ]).map((line) => line.slice(0, 9)),
  ).toEqual(['b changed', 'a changed'])
})

it.each([
  [['0.1', '0.2'], '+0.3'],
  [['12345678901234567890', '1'], '+12,345,678,901,234,567,891'],
  [['-1.50'], '−1.5'],
  [['1', '-1.0'], '0'],
])('the sum of %j is %s', (numbers, text) => {
  const sum = new ExactSum()
  for (const number of numbers) {
    const decimal = decimalOf(number)
    if (decimal) sum.add(decimal, 1n)
  }
  expect(sum.text()).toBe(text)
})

it.each([null, '"1"', '1e3', 'null', '{}'])('%j is not summed', (json) =>
  expect(decimalOf(json)).toBeUndefined(),
)
