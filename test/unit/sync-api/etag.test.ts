import { expect, it } from 'vitest'
import { namesETag } from '../../../functions/sync-api/published/etag.ts'

it.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b",W/"a" , "c"', true],
  ['*', true],
  ['"b", *', true],
  [undefined, false],
  ['', false],
  ['"b"', false],
  ['a', false],
  ['"W/a"', false],
  ['"aa"', false],
])('If-None-Match %s lists the entity tag "a": %s', (ifNoneMatch, listed) => {
  expect(namesETag(ifNoneMatch, '"a"')).toBe(listed)
})
