import { styleText } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shownText } from '../../../../cli/shell/shown-text.ts'
import { escapeLine } from '../../../../functions/runtime/hidden-characters.ts'

const red = styleText('red', 'bad', { validateStream: false })

it.each([
  ['plain text', 'Ana Müller 李雷 🌊', 'Ana Müller 李雷 🌊'],
  ['lines and tabs', 'a\n\tb', 'a\n\tb'],
  ['our own colors', `${red} text`, `${red} text`],
  ['a title of the window', 'a\u001b]0;b\u0007', 'a\\u001b]0;b\\u0007'],
  ['the clipboard', '\u001b]52;c;YQ==\u0007', '\\u001b]52;c;YQ==\\u0007'],
  ['an erased screen', '\u001b[2J', '\\u001b[2J'],
  ['concealed text', '\u001b[8mx', '\\u001b[8mx'],
  ['a C1 control sequence', 'a\u009b2J', 'a\\u009b2J'],
  ['a change of direction', 'a\u202egnp.exe', 'a\\u202egnp.exe'],
  ['a carriage return', 'Deleted\rKept', 'Deleted\\u000dKept'],
  ['invisible tags', 'a\u{e0041}', 'a\\udb40\\udc41'],
  ['hidden characters between our colors', `${red}\u0000${red}`, `${red}\\u0000${red}`],
])('shows %s', (_, text, expected) => expect(shownText(text)).toBe(expected))

it('keeps the meaning of every JSON text', () => {
  fc.assert(
    fc.property(fc.json(), fc.string({ unit: 'binary' }), (json, text) => {
      expect(JSON.parse(shownText(JSON.stringify({ text })))).toEqual({ text })
      expect(JSON.parse(shownText(json))).toEqual(JSON.parse(json))
    }),
  )
})

it('shows a member name on one line', () =>
  expect(escapeLine('a\nb\tc\u001b')).toBe('a\\u000ab\\u0009c\\u001b'))
