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
