import { describe, expect, test } from 'vitest'
import { pathSegment } from '../../../functions/proxy/path-rules.ts'
import { refusal } from './refusal.ts'

describe('a path value goes up encoded again', () => {
  test.each([
    ['a plain one', '1_VTEX-2.a~', '1_VTEX-2.a~'],
    ['a space and a plus', 'a b+c', 'a%20b%2Bc'],
    ['beyond ASCII', 'dôck 🚚', 'd%C3%B4ck%20%F0%9F%9A%9A'],
    ['what has a meaning in an address', 'a?b#c&d=e;f', 'a%3Fb%23c%26d%3De%3Bf'],
    ['a percent sign, which API Gateway leaves encoded', '100%25', '100%25'],
    ['an encoded slash that was meant as text', '%252F', '%252F'],
    ['an encoded percent escape of a percent sign', '%2525', '%2525'],
    ['three dots, which are no step', '...', '...'],
    ['dots at its start', '..a', '..a'],
    ['sub-delimiters that a segment may hold', "!'()*", "!'()*"],
    ['what means something in a replacement', '$&', '%24%26'],
  ])('%s', (_, given, expected) => expect(pathSegment('dockId', given)).toBe(expected))
})

describe('a path value is refused', () => {
  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['a dot', '.'],
    ['two dots', '..'],
    ['a slash', 'a/b'],
    ['a backslash', 'a\\b'],
    ['NUL', 'a\u0000'],
    ['a line feed', 'a\nb'],
    ['DEL', 'a\u007f'],
    ['a C1 control', 'a\u0085'],
    ['a lone surrogate', 'a\ud800'],
    ['bytes that were not UTF-8', 'a\ufffd'],
  ])('%s', (_, given) => {
    expect(refusal(() => pathSegment('dockId', given))).toMatchObject({
      type: 'urn:longshore:problem:invalid-request',
      status: 400,
      parameter: 'dockId',
      detail: expect.stringContaining('dockId'),
    })
  })
})
