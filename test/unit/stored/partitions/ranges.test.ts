import { describe, expect, it } from 'vitest'
import { filterOf, rangesBetween, withFilter } from '../../../../stored/partitions/ranges.ts'

const filters = (boundaries: readonly string[]) =>
  rangesBetween(boundaries).map((range) => filterOf('createdIn', range))

describe('ranges', () => {
  it('do not exist without boundaries', () => {
    expect(rangesBetween([])).toEqual([])
  })

  it('cover every value, share their boundaries and include documents without a value', () => {
    expect(filters(['2024-01-01', '2024-02-01', '2024-03-01'])).toEqual([
      '(createdIn is null)',
      '(createdIn < 2024-01-01 OR createdIn = 2024-01-01)',
      '(createdIn between 2024-01-01 AND 2024-02-01)',
      '(createdIn between 2024-02-01 AND 2024-03-01)',
      '(createdIn > 2024-03-01 OR createdIn = 2024-03-01)',
    ])
  })

  it('are two and the documents without a value when there is one boundary', () => {
    expect(filters(['2024-01-01'])).toEqual([
      '(createdIn is null)',
      '(createdIn < 2024-01-01 OR createdIn = 2024-01-01)',
      '(createdIn > 2024-01-01 OR createdIn = 2024-01-01)',
    ])
  })

  it('name one value', () =>
    expect(filterOf('createdIn', { kind: 'at', value: '2024-01-01' })).toBe('(createdIn = 2024-01-01)'))

  it('are none without a boundary', () => expect(filters([])).toEqual([]))
})

describe('withFilter', () => {
  it.each([
    [{ _fields: 'id' }, { _fields: 'id', _where: '(a is null)' }],
    [{ _where: 'x=1 OR y=2' }, { _where: '(x=1 OR y=2) AND (a is null)' }],
    [
      { _where: ['x=1', 'y=2'], _schema: 's' },
      { _where: '(x=1) AND (y=2) AND (a is null)', _schema: 's' },
    ],
  ])('adds the filter of a range to the query %j', (query, expected) => {
    expect(withFilter(query, '(a is null)')).toEqual(expected)
  })
})
