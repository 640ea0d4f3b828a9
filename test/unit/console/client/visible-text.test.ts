import { expect, it } from 'vitest'
import { cutValue, visiblePieces } from '../../../../console/client/model/visible-text.ts'

const shown = (text: string) =>
  visiblePieces(text)
    .map((piece) => (piece.kind === 'control' ? `[${piece.text}]` : piece.text))
    .join('')

it.each([
  ['plain text', 'Ana Müller 李雷 🌊', 'Ana Müller 李雷 🌊'],
  ['markup, which is text too', '<b onclick="x">&amp;', '<b onclick="x">&amp;'],
  ['a change of direction', 'a\u202Egnp.exe', 'a[U+202E]gnp.exe'],
  ['isolates', '\u2066a\u2069', '[U+2066]a[U+2069]'],
  ['characters without a width', 'pay\u200Bpal\uFEFF', 'pay[U+200B]pal[U+FEFF]'],
  ['controls', 'a\u0000b\u001B[31m', 'a[U+0000]b[U+001B][31m'],
  ['invisible tags', '\u{E0041}a', '[U+E0041]a'],
  ['line feeds and tabs, which are seen', 'a\n\tb', 'a\n\tb'],
  ['an empty text', '', ''],
])('shows %s', (_, text, expected) => expect(shown(text)).toBe(expected))

it('splits text into pieces, none of them empty', () => {
  expect(visiblePieces('\u0000a\u0001\u0002')).toEqual([
    { kind: 'control', text: 'U+0000' },
    { kind: 'text', text: 'a' },
    { kind: 'control', text: 'U+0001' },
    { kind: 'control', text: 'U+0002' },
  ])
  expect(visiblePieces('\u0000a')).toEqual([
    { kind: 'control', text: 'U+0000' },
    { kind: 'text', text: 'a' },
  ])
})

it.each([
  [{ text: 'abc', length: 3 }, undefined, { shown: 'abc', isCut: false }],
  [{ text: 'abc', length: 4 }, undefined, { shown: 'abc', isCut: true }],
  [{ text: 'abc', length: 4 }, 'abcd', { shown: 'abcd', isCut: false }],
])('of the value %j, and %j when it was asked for, shows %j', (value, whole, expected) => {
  expect(cutValue(value, whole)).toEqual(expected)
})
