import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalForm } from '../../../../functions/publisher/check/set/canonical.ts'
import { canonicalDocument } from '../../../../stored/chain/canonical.ts'

const ofComparison = (document: string, ignored: string[] = []) =>
  canonicalDocument(Buffer.from(document), new Set(ignored))

/** The form that the publisher finds, too. */
function canonical(document: string, ignored: string[] = []): string {
  const form = ofComparison(document, ignored)
  expect(canonicalForm(document, new Set(ignored))).toBe(form)
  return form
}

describe('the canonical form of a document', () => {
  it.each([
    ['{"a":1,"b":2}', '{"b":2,"a":1}', 'the order of keys'],
    ['{"a":{"x":1,"y":[{"p":1,"q":2}]}}', '{"a":{"y":[{"q":2,"p":1}],"x":1}}', 'the order of nested keys'],
    ['{"a":1,"b":[1,2]}', ' { "a" : 1 ,\t"b" : [ 1 , 2 ] } ', 'white space'],
    ['{"é":"\\u0061\\/"}', '{"\\u00e9":"a/"}', 'string escapes'],
    ['{"a":"\\ud83d\\ude00"}', '{"a":"😀"}', 'escaped surrogate pairs'],
    ['{"a":1,"a":2}', '{"a":2}', 'keys that a later one replaces'],
    ['{"a":"\\"{,}"}', '{"a":"\\u0022{,}"}', 'escaped quotes'],
  ])('of %s is that of %s: it does not show %s', (one, other) => {
    expect(canonical(one)).toBe(canonical(other))
  })

  it.each([
    ['{"a":1}', '{"a":1.0}', 'numbers by their text'],
    ['{"a":1e2}', '{"a":100}', 'numbers with an exponent'],
    ['{"a":12345678901234567890}', '{"a":12345678901234567891}', 'digits beyond a double'],
    ['{"a":0}', '{"a":-0}', 'the sign of zero'],
    ['{"a":1}', '{"a":"1"}', 'numbers and strings'],
    ['{"a":null}', '{}', 'null and a missing field'],
    ['{"a":[1,2]}', '{"a":[2,1]}', 'the order of lists'],
    ['{"a":[]}', '{"a":{}}', 'lists and objects'],
    ['{"a":"x "}', '{"a":"x"}', 'white space in strings'],
    ['{"a":"\\ud800"}', '{"a":"\\ud801"}', 'lone surrogates'],
    ['{"a":[[1],2]}', '{"a":[[1,2]]}', 'nesting'],
    ['{"a":"b\\",\\"c"}', '{"a":"b","c":""}', 'a quote in a string and the end of one'],
  ])('differs between %s and %s: %s', (one, other) => expect(canonical(one)).not.toBe(canonical(other)))

  it('leaves out ignored fields at the top level only', () => {
    expect(canonical('{"a":1,"\\u0078":2,"b":{"x":3}}', ['x'])).toBe('{"a":1,"b":{"x":3}}')
  })

  it('is equal for two spellings exactly if their values are', () => {
    const keyed = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }))
    fc.assert(
      fc.property(keyed, keyed, (one, other) => {
        const [a, b] = [JSON.stringify(one), JSON.stringify(other)]
        expect(JSON.parse(canonical(a))).toEqual(JSON.parse(a))
        expect(canonical(reversed(one))).toBe(canonical(a))
        expect(canonical(a) === canonical(b)).toBe(canonical(reversed(one)) === canonical(reversed(other)))
      }),
    )
  })

  it.each(['{"a":1', '{"a"', '{"a":"b', '{"a":', '{"a":[1', '{1}'])('throws on %s', (document) => {
    expect(() => ofComparison(document)).toThrow('not JSON')
  })
})

/** The same document with its keys in the reverse order and white space between its tokens. */
function reversed(value: Record<string, unknown>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(value).toReversed()), null, 2)
}
