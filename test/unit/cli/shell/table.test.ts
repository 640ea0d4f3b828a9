import { expect, it } from 'vitest'
import { formatTable } from '../../../../cli/shell/text-table.ts'

it('fills up short rows, and is empty without any', () => {
  expect(formatTable([['a', 'b'], ['c']])).toBe('a  b\nc')
  expect(formatTable([])).toBe('')
})

it('aligns the columns of a table', () => {
  const rows = [
    ['a', 'b'],
    ['longer', 'x'],
  ]
  expect(formatTable(rows)).toBe('a       b\nlonger  x')
})

it('shortens the first column of a table that is too wide, and then leaves columns out', () => {
  const rows = [
    ['ENTITY', 'DOCUMENTS', 'LAST RUN'],
    ['x'.repeat(30), '1,000', 'published'],
  ]
  const width = { optional: ['DOCUMENTS'], shortenedTo: 10 }
  expect(formatTable(rows, { ...width, columns: 60 })).toContain('x'.repeat(30))
  expect(formatTable(rows, { ...width, columns: 36 }).split('\n')[1]).toBe(
    'xxxxxxxxxxxxx…  1,000      published',
  )
  expect(formatTable(rows, { ...width, columns: 25 }).split('\n')[1]).toBe('xxxxxxxxx…  published')
})
