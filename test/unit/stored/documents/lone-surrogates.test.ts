import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withoutLoneSurrogates } from '../../../../stored/documents/lone-surrogates.ts'

describe('half of a surrogate pair', () => {
  it.each([
    [String.raw`"cut \ud83d"`, String.raw`"cut \ufffd"`],
    [String.raw`"\ude00 x"`, String.raw`"\ufffd x"`],
    [String.raw`"\uD83D\uD83D\uDE00"`, String.raw`"\ufffd\uD83D\uDE00"`],
    [String.raw`"\ude00\ud83d"`, String.raw`"\ufffd\ufffd"`],
    [String.raw`"\ud83dx\ude00"`, String.raw`"\ufffdx\ufffd"`],
    [String.raw`{"\ud83d":[["\udbff"]]}`, String.raw`{"\ufffd":[["\ufffd"]]}`],
    [String.raw`"\\\ud83d"`, String.raw`"\\\ufffd"`],
    [String.raw`"\ud83d\\ude00"`, String.raw`"\ufffd\\ude00"`],
  ])('is replaced in %s', (json, expected) => expect(withoutLoneSurrogates(json)).toBe(expected))

  it.each([
    String.raw`"\ud83d\ude00"`,
    String.raw`"\\ud83d"`,
    String.raw`"\ud7ff \ue000 \uffff \u0000 \u00d8"`,
    '"\ud83d\ude00 \uffff"',
    '{}',
  ])('is not found in %s', (json) => expect(withoutLoneSurrogates(json)).toBe(json))

  it('is found exactly where decoding gives text that is not well-formed', () => {
    const piece = fc.constantFrom(
      '\\\\',
      '\\n',
      'u',
      'd83d',
      'é',
      '\\u0041',
      '\\ud83d',
      '\\uDE00',
      '\\ud800',
      '\\udfff',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const json = `"${pieces.join('')}"`
        const decoded = JSON.parse(json) as string
        expect(withoutLoneSurrogates(json) === json).toBe(decoded.isWellFormed())
        expect(JSON.parse(withoutLoneSurrogates(json))).toBe(decoded.toWellFormed())
      }),
    )
  })
})
