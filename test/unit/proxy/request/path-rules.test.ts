import { expect, test } from 'vitest'
import { pathSegment } from '../../../../functions/proxy/request/path-rules.ts'
import { refusal } from './refusal.ts'

test.each([
  ['a plain one', '1_VTEX-2.a~', '1_VTEX-2.a~'],
  ['a space and a plus', 'a b+c', 'a%20b%2Bc'],
  ['beyond ASCII', 'dôck 🚚', 'd%C3%B4ck%20%F0%9F%9A%9A'],
  ['reserved characters', 'a&d=e;f', 'a%26d%3De%3Bf'],
  ['three dots', '...', '...'],
  ['leading dots', '..a', '..a'],
  ['sub-delimiters that a segment may contain', "!'()*", "!'()*"],
  ['a replacement pattern', '$&', '%24%26'],
])('a path value is forwarded percent-encoded: %s', (_, given, expected) =>
  expect(pathSegment('dockId', given)).toBe(expected),
)

test.each([
  ['missing', undefined],
  ['empty', ''],
  ['a dot', '.'],
  ['two dots', '..'],
  ['a slash', 'a/b'],
  ['a backslash', 'a\\b'],
  ['with a question mark', 'a?b'],
  ['with a number sign', 'a#b'],
  ['with a percent sign', '100%'],
  ['with an escape that API Gateway did not decode', 'a%2525'],
  ['NUL', 'a\u0000'],
  ['a line feed', 'a\nb'],
  ['DEL', 'a\u007f'],
  ['a C1 control', 'a\u0085'],
  ['a lone surrogate', 'a\ud800'],
  ['bytes that were not UTF-8', 'a\ufffd'],
])('a path value is refused: %s', (_, given) => {
  expect(refusal(() => pathSegment('dockId', given))).toMatchObject({
    type: 'urn:longshore:problem:invalid-request',
    status: 400,
    parameter: 'dockId',
    detail: expect.stringContaining('dockId'),
  })
})
