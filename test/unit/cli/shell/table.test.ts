import { expect, it } from 'vitest'
import { formatTable } from '../../../../cli/shell/table.ts'

it('aligns the columns of a table', () => {
  const rows = [
    ['a', 'b'],
    ['longer', 'x'],
  ]
  expect(formatTable(rows)).toBe('a       b\nlonger  x')
})
