import { describe, expect, it } from 'vitest'
import {
  decoded,
  isName,
  MalformedPage,
  scalarEnd,
  stringEnd,
} from '../../../../stored/documents/json-scalars.ts'

describe('the end of a scalar', () => {
  const strings = ['""', '" "', '"a,b"', '"漢"', '"\\""', '"\\\\"', '"\\/"', '"\\b\\f\\n\\r\\t"']
  const unicodeEscapes = ['"\\u00e9"', '"\\uABCDx"', '"\\u0000\\u9999"']
  const numbers = ['0', '-0', '7', '10', '-123', '0.5', '1.25', '1e5', '1E5', '0e0', '1e+5', '1.5E-10']
  const literals = ['true', 'false', 'null']

  it.each([...strings, ...unicodeEscapes, ...numbers, ...literals])('is found after %s', (scalar) => {
    const text = Buffer.from(scalar)
    expect(scalarEnd(text, 0)).toBe(text.length)
    expect(scalarEnd(Buffer.from(`[${scalar}]"`), 1)).toBe(1 + text.length)
  })

  it.each([
    ['01', 1],
    ['1.5.2', 3],
    ['1e5e1', 3],
    ['1-1', 1],
    ['1+1', 1],
    ['nullnull', 4],
  ])('is before the first byte that cannot continue %s', (text, end) => {
    expect(scalarEnd(Buffer.from(text), 0)).toBe(end)
  })
})

it.each([
  ['', 'expected a value at byte 0'],
  ['}', 'expected a value at byte 0'],
  ['+1', 'expected a value at byte 0'],
  ['.5', 'expected a value at byte 0'],
  ['tru', 'expected a value at byte 0'],
  ['falsy', 'expected a value at byte 0'],
  ['nil!', 'expected a value at byte 0'],
  ['-', 'expected a digit at byte 1'],
  ['-a', 'expected a digit at byte 1'],
  ['1.', 'expected a digit at byte 2'],
  ['1.e5', 'expected a digit at byte 2'],
  ['1e', 'expected a digit at byte 2'],
  ['0e+', 'expected a digit at byte 3'],
  ['0E-x', 'expected a digit at byte 3'],
  ['1e*5', 'expected a digit at byte 2'],
  ['"ab', 'expected the end of a string at byte 3'],
  ['"a\n"', 'expected the end of a string at byte 2'],
  ['"\u001f"', 'expected the end of a string at byte 1'],
  ['"\\x"', 'expected an escape at byte 1'],
  ['"ab\\', 'expected an escape at byte 3'],
  ['"\\u12"', 'expected an escape at byte 1'],
  ['"\\u12g4"', 'expected an escape at byte 1'],
  ['"\\u123', 'expected an escape at byte 1'],
  ['"\\U1234"', 'expected an escape at byte 1'],
])('a malformed scalar is reported with its position: %j', (text, problem) => {
  const message = `The page is not JSON: ${problem}.`
  const read = () => scalarEnd(Buffer.from(text), 0)
  expect(read).toThrow(MalformedPage)
  expect(read).toThrow(expect.objectContaining({ name: 'MalformedPage', message }) as Error)
})

it('finds the closing quote of a string', () => expect(stringEnd(Buffer.from('{"a\\"b":"c"}'), 2)).toBe(6))

it.each([
  ['"id":1', 'id', true],
  ['"i\\u0064":1', 'id', true],
  ['"i":1', 'id', false],
  ['"idx":1', 'id', false],
  ['"id\\u0064":1', 'id', false],
  ['"a":"', 'a":', false],
  ['"a\\"b":1', 'a"b', true],
  ['"":1', '', true],
])('compares the string at the beginning of %s with the name %s: %s', (text, name, expected) => {
  expect(isName(Buffer.from(text), 1, Buffer.from(name))).toBe(expected)
})

it('decodes the escapes of a string', () => expect(decoded('"a\\u00e9\\"漢"')).toBe('aé"漢'))
