import { describe, expect, it } from 'vitest'
import { holdsNothing, looksWhole } from '../../../functions/worker/scroll/body-kind.ts'

describe('the check of a body without parsing it', () => {
  it.each([
    ['', true, false],
    [' \r\n', true, false],
    ['[]', true, true],
    ['[ \n ]', true, true],
    ['[{}]', false, true],
    ['<html>', false, false],
    ['[{"a":1},{"b"', false, false],
    ['{}', false, false],
  ])('%j: empty %s, complete %s', (body, nothing, whole) => {
    expect(holdsNothing(Buffer.from(body))).toBe(nothing)
    expect(looksWhole(Buffer.from(body))).toBe(whole)
  })
})
