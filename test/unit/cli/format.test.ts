import { expect, it } from 'vitest'
import { formatDuration, formatTable } from '../../../cli/shell/format.ts'

it('aligns the columns of a table', () => {
  const rows = [
    ['a', 'b'],
    ['longer', 'x'],
  ]
  expect(formatTable(rows)).toBe('a       b\nlonger  x')
})

it('formats a duration in its largest unit', () => {
  expect([5_000, 125_000, 7_200_000, 200_000_000].map(formatDuration)).toEqual(['5 s', '2 min', '2 h', '2 d'])
})
