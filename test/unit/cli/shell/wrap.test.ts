import { expect, it } from 'vitest'
import { wrap } from '../../../../cli/shell/wrap.ts'

it.each<[columns: number | undefined, indent: number, lines: string[]]>([
  [undefined, 2, ['aa bb cccc d']],
  [12, 0, ['aa bb cccc d']],
  [11, 0, ['aa bb cccc', 'd']],
  [12, 1, ['aa bb cccc', 'd']],
  [5, 0, ['aa bb', 'cccc', 'd']],
  [6, 1, ['aa bb', 'cccc', 'd']],
  [3, 0, ['aa', 'bb', 'cccc', 'd']],
])('fits a text into %s columns after %i', (columns, indent, lines) => {
  expect(wrap('aa bb cccc d', { columns, indent })).toEqual(lines)
})
