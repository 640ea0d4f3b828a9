import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MalformedPage } from '../../../../stored/documents/json-scalars.ts'
import { splitPageInPlace } from '../../../../stored/documents/split.ts'
import { runsToTry } from '../../../case-count.ts'

const split = (text: string | Buffer, idField = 'id') => {
  const page = splitPageInPlace(Buffer.from(text), idField)
  return {
    ...page,
    text: page.lines.toString(),
    ids: new Set(page.fingerprints.toString('hex').match(/.{16}/g)),
  }
}

describe('splits a page into the bytes that the platform sent', () => {
  it.each([
    ['a compact page', '[{"id":"1"},{"id":"2"}]', '{"id":"1"}\n{"id":"2"}\n'],
    ['white space around documents', ' [ {"id":"1"} , {"id":"2"} ] ', '{"id":"1"}\n{"id":"2"}\n'],
    ['white space within documents', '[{ "id" : "1" }]', '{ "id" : "1" }\n'],
    ['line breaks within documents', '[{\r\n  "id": 1\n}]', '{    "id": 1 }\n'],
    ['a number that no float equals', '[{"n":12345678901234567890.10}]', '{"n":12345678901234567890.10}\n'],
    ['keys in any order, twice', '[{"b":1,"a":2,"b":3}]', '{"b":1,"a":2,"b":3}\n'],
    ['escapes', '[{"a":"\\u00e9\\n\\"]}[{"}]', '{"a":"\\u00e9\\n\\"]}[{"}\n'],
    ['nested values', '[{"a":[{},[],[1,{"b":null}]]}]', '{"a":[{},[],[1,{"b":null}]]}\n'],
    ['unicode', '[{"a":"漢😀"}]', '{"a":"漢😀"}\n'],
    ['a byte order mark', '\ufeff[{"a":1}]', '{"a":1}\n'],
    ['no documents', '[]', ''],
  ])('%s', (_, page, lines) => expect(split(page).text).toBe(lines))

  const document = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 4 }))
  const blank = fc.constantFrom('', ' ', '\n', '\r\n', '\t', ' \n ')

  it('keeps every document byte for byte', () => {
    fc.assert(
      fc.property(
        fc.array(document),
        fc.constantFrom(undefined, 1, '\t'),
        blank,
        (documents, indent, space) => {
          const originals = documents.map((one) => JSON.stringify(one, null, indent))
          const page = `${space}[${space}${originals.join(`${space},${space}`)}${space}]${space}`
          const expected = originals.map((one) => `${one.replaceAll(/[\r\n]/g, ' ')}\n`).join('')
          expect(split(page).text).toBe(expected)
          expect(split(page).documents).toBe(documents.length)
        },
      ),
    )
  })

  it('accepts exactly what a JSON parser accepts as an array of objects', () => {
    const pieces = fc.constantFrom(
      ...'[]{}",:\\ \n0123e+-.truefalsn"u'.split(''),
      '"a":',
      '{"id":',
      '\\u00',
      'null',
      ',',
    )
    const almostJson = fc
      .tuple(
        fc.array(document, { maxLength: 3 }),
        fc.array(fc.tuple(fc.nat(), pieces, fc.nat(3)), { maxLength: 3 }),
      )
      .map(([documents, edits]) => {
        let text = JSON.stringify(documents)
        for (const [at, piece, cut] of edits) {
          const place = at % (text.length + 1)
          text = text.slice(0, place) + piece + text.slice(place + cut)
        }
        return Buffer.from(text).toString()
      })
    fc.assert(
      fc.property(almostJson, (text) => {
        expect(accepts(() => split(text))).toBe(accepts(() => expectObjects(JSON.parse(text))))
      }),
      { numRuns: runsToTry(3000) },
    )
  })

  function accepts(read: () => unknown): boolean {
    try {
      read()
      return true
    } catch {
      return false
    }
  }

  function expectObjects(value: unknown): void {
    const isObject = (one: unknown) => typeof one === 'object' && one !== null && !Array.isArray(one)
    if (!Array.isArray(value) || !value.every(isObject)) throw new Error('no array of objects')
  }

  it('reports bytes that are not UTF-8', () => {
    expect(() => split(Buffer.from([0xff]))).toThrow(
      /^The page is not valid UTF-8, in document 1 of the page\.$/,
    )
  })

  const nested = (levels: number) => `[{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}]`

  it('accepts a document that is nested 1,000 levels deep', () => {
    expect(split(nested(1000)).documents).toBe(1)
  })

  it('rejects a deeper document as soon as it reaches the limit', () => {
    const message = 'A document is nested more than 1000 levels deep at byte 1005, in document 1 of the page.'
    expect(() => split(nested(1001))).toThrow(message)
    expect(() => split(`[{"a":${'['.repeat(10_000_000)}`)).toThrow(message)
  })
})

describe('a malformed document', () => {
  const errorOf = (page: string | Buffer): MalformedPage => {
    try {
      split(page)
    } catch (error) {
      if (error instanceof MalformedPage) return error
    }
    throw new Error('The page is not malformed.')
  }
  const bad = '{"id":"d-1","note":"first\tsecond"}'

  it.each<[string, string | Buffer, string]>([
    ['the first one', `[${bad}]`, 'in document 1 of the page.'],
    [
      'after one with an id',
      `[{"id":"d-0"},${bad}]`,
      'in document 2 of the page, after the one with the id "d-0".',
    ],
    [
      'after one with a number',
      `[{"id":"d-0"},{"id":17},${bad},{}]`,
      'in document 3 of the page, after the one with the id 17.',
    ],
    ['after one without an id', `[{"id":1},{"a":1},${bad}]`, 'in document 3 of the page.'],
    ['a missing comma', '[{"id":1}{"id":2}]', 'in document 2 of the page, after the one with the id 1.'],
    ['a trailing comma', '[{"id":1},]', 'in document 2 of the page, after the one with the id 1.'],
    ['NaN', '[{"id":1},{"price":NaN}]', 'in document 2 of the page, after the one with the id 1.'],
    [
      'one that is not UTF-8',
      Buffer.from('[{"id":"a"},{"id":"b","x":"\xe9"},{"id":"c"}]', 'latin1'),
      'not valid UTF-8, in document 2 of the page, after the one with the id "a".',
    ],
    ['after a long id', `[{"id":"${'x'.repeat(500)}"},${bad}]`, `the id "${'x'.repeat(99)}.`],
  ])('is located: %s', (_, page, where) => expect(errorOf(page).message.endsWith(where)).toBe(true))

  it('has the same signature on another page, and another one than other documents', () => {
    const { signature } = errorOf(`[{"id":"d-0"},${bad}]`)
    expect(errorOf(`[{"id":7},{"id":"d-0"},${bad}]`).signature).toBe(signature)
    expect(errorOf(`[{"id":"d-0"},${bad.replace('d-1', 'd-2')}]`).signature).not.toBe(signature)
  })

  it.each(['[{"id":1,"tags":["a"]', '[{"id":1,"note":"[a]'])(
    'has no signature if its page is cut off: %j',
    (page) => expect(errorOf(page).signature).toBeUndefined(),
  )
})

describe('identifies a document by its id', () => {
  it('uses the configured id field', () => {
    expect(split('[{"key":"a","id":"1"},{"key":"a","id":"2"}]', 'key').ids.size).toBe(1)
  })

  it('counts the documents without an id', () => {
    expect(split('[{"id":"a"},{"id":null},{"b":1},{"id":{}},{"id":0}]').documentsWithoutId).toBe(3)
  })

  it('returns a fingerprint for each of 3,000 documents', () => {
    const many = Array.from({ length: 3000 }, (_, index) => ({ id: String(index) }))
    expect(split(JSON.stringify(many)).ids.size).toBe(3000)
  })
})
