import { describe, expect, it } from 'vitest'
import { DistributionCounter } from '../../../../operator/review/distribution.ts'
import { readFields } from '../../../../stored/documents/fields.ts'

/** The distribution of these documents. Those with `gone` are missing. */
function spreadOf(documents: readonly (object & { readonly gone?: boolean })[]) {
  const counter = new DistributionCounter()
  for (const { gone = false, ...document } of documents)
    counter.add(readFields(Buffer.from(JSON.stringify(document))), gone)
  return counter.result()
}

const many = (count: number, document: (index: number) => object) =>
  Array.from({ length: count }, (_, index) => document(index))

describe('the distribution of missing documents', () => {
  it('shows the value whose documents are all missing first', () => {
    const documents = many(100, (index) => ({ country: index < 70 ? 'ARG' : 'BRA', gone: index >= 70 }))
    expect(spreadOf(documents).fields).toEqual([
      {
        field: 'country',
        values: [
          { value: '"BRA"', before: 30, missing: 30 },
          { value: '"ARG"', before: 70, missing: 0 },
        ],
      },
    ])
  })

  it('shows no field that has one value, although only missing documents have it', () => {
    expect(spreadOf(many(10, (index) => (index < 5 ? { deleted: true, gone: true } : {}))).fields).toEqual([])
  })

  it('shows a text of 58 characters', () => {
    const documents = many(10, (index) => ({ text: `${index % 2}${'x'.repeat(57)}`, gone: index % 2 === 0 }))
    expect(spreadOf(documents).fields).toHaveLength(1)
  })

  it('shows no field if every value lost the same share', () => {
    const documents = many(100, (index) => ({ country: index % 2 ? 'BRA' : 'ARG', gone: index % 4 < 2 }))
    expect(spreadOf(documents).fields).toEqual([])
  })

  it('shows no field whose shares differ only by chance', () => {
    const documents = many(100, (index) => ({
      country: index % 2 ? 'BRA' : 'ARG',
      gone: index % 4 < 2 || index === 6,
    }))
    expect(spreadOf(documents).fields).toEqual([])
  })

  it('shows the three fields that differ most, the clearest first', () => {
    const documents = many(100, (index) => ({
      d: index < 45,
      a: index < 50,
      c: index < 60,
      b: index < 70,
      same: 1,
      gone: index < 50,
    }))
    expect(spreadOf(documents).fields.map(({ field }) => field)).toEqual(['a', 'd', 'c'])
  })

  it.each([
    ['identifies documents', (index: number) => index],
    ['is an object', (index: number) => ({ index: index < 10 })],
    ['is a list', (index: number) => [index < 10]],
    ['is a long text', (index: number) => `${index < 10}${'x'.repeat(60)}`],
  ])('leaves out a field that %s', (_, value) => {
    expect(spreadOf(many(60, (index) => ({ field: value(index), gone: index < 10 }))).fields).toEqual([])
  })

  it('counts fifty values of a field and no more', () => {
    const spread = (values: number) =>
      spreadOf(many(100, (index) => ({ field: index % values, gone: index % values < 10 })))
    expect(spread(50).fields).toHaveLength(1)
    expect(spread(50).fields[0]?.values).toHaveLength(5)
    expect(spread(51).fields).toEqual([])
  })

  it('counts the months of createdIn, oldest first, and no other form of it', () => {
    const documents = [
      { createdIn: '2026-03-02T00:00:00Z', gone: true },
      { createdIn: '2025-12-31T23:59:59Z' },
      { createdIn: '2026-01-31' },
      { createdIn: '2026-03-05', gone: true },
      { createdIn: { at: '2026-03-05' } },
      { createdIn: '2025-12-01' },
      { createdIn: null, gone: true },
      { createdIn: 'yesterday' },
      {},
    ]
    expect(spreadOf(documents).months).toEqual([
      { value: '2025-12', before: 2, missing: 0 },
      { value: '2026-01', before: 1, missing: 0 },
      { value: '2026-03', before: 2, missing: 2 },
    ])
  })

  it('is empty without documents', () => expect(spreadOf([])).toMatchObject({ months: [], fields: [] }))
})
