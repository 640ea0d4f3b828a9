import { expect, it } from 'vitest'
import { hasByteOrderMark, isDigit, isWhiteSpace } from '../../../../stored/documents/json-bytes.ts'

/** The characters of ASCII that a function accepts. */
const accepted = (accepts: (byte: number) => boolean) =>
  String.fromCharCode(...Array.from({ length: 128 }, (_, byte) => byte).filter(accepts))

it('knows the digits and the white space of JSON', () => {
  expect(accepted(isDigit)).toBe('0123456789')
  expect(accepted(isWhiteSpace)).toBe('\t\n\r ')
  expect([isDigit(undefined), isWhiteSpace(undefined)]).toEqual([false, false])
})

it.each([
  [[0xef, 0xbb, 0xbf], true],
  [[0xef, 0xbb, 0xbf, 0x5b], true],
  [[0x00, 0xbb, 0xbf], false],
  [[0xef, 0x00, 0xbf], false],
  [[0xef, 0xbb, 0x00], false],
  [[0xef, 0xbb], false],
  [[], false],
])('finds a byte order mark in %j: %j', (bytes, expected) => {
  expect(hasByteOrderMark(Buffer.from(bytes))).toBe(expected)
})
