import { styleText } from 'node:util'
import { expect, it } from 'vitest'
import { wrap } from '../../../../cli/shell/wrap.ts'

const review = 'npx --no-install longshore review 20260301T060000000Z-0123456789ab'
const local = `LONGSHORE_LOCAL=/tmp/a.json ${review}`

it.each<[name: string, text: string, columns: number | undefined, lines: string[]]>([
  ['nothing without a terminal', 'aa bb cccc d', undefined, ['aa bb cccc d']],
  ['nothing that fits', 'aa bb cccc d', 12, ['aa bb cccc d']],
  ['a line at spaces', 'aa bb cccc d', 11, ['aa bb cccc', 'd']],
  ['no word', 'aa bb cccc d', 3, ['aa', 'bb', 'cccc', 'd']],
  ['each line on its own', 'aa bb\n\ncc dd', 4, ['aa', 'bb', '', 'cc', 'dd']],
  ['below the text of a finding', '✗ aa bb cccc d', 10, ['✗ aa bb', '  cccc d']],
  ['below an indented text', '    aa bb cccc d', 9, ['    aa bb', '    cccc', '    d']],
  ['below the text of a fix', '  → aa bb cccc d', 10, ['  → aa bb', '    cccc d']],
  ['between cells', 'aa  bb  cccc', 7, ['aa  bb', '  cccc']],
  ['no command', `Run ${review}`, 60, ['Run', review]],
  ['no command of another npm start', `  → ${local}`, 60, [`  → ${local}`]],
  ['after a command', `a (${review}) or b`, 60, ['a', `(${review})`, 'or b']],
  [
    'no deployment',
    'deploy: npm run deploy -- -c config=a.ts',
    20,
    ['deploy:', 'npm run deploy -- -c config=a.ts'],
  ],
])('breaks %s', (...[, text, columns, lines]) => expect(wrap(text, columns).split('\n')).toEqual(lines))

it('does not count the codes of colors', () => {
  const red = (text: string) => styleText('red', text, { validateStream: false })
  expect(wrap(`${red('✗')} ${red('aaa bbb')} ccc ddd`, 9)).toBe(`${red('✗')} ${red('aaa bbb')}\n  ccc ddd`)
})
