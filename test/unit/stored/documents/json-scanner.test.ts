import { describe, expect, it } from 'vitest'
import { MalformedPage } from '../../../../stored/documents/json-scalars.ts'
import { DocumentScanner } from '../../../../stored/documents/json-scanner.ts'

function scan(page: string, idField = 'id') {
  const text = Buffer.from(page)
  const scanner = new DocumentScanner(text, Buffer.from(idField))
  const documents: { document: string; id: string | undefined; hasLineBreaks: boolean }[] = []
  while (scanner.next()) {
    documents.push({
      document: text.toString('utf8', scanner.start, scanner.end),
      id: scanner.identity(),
      hasLineBreaks: scanner.hasLineBreaks,
    })
  }
  return documents
}

describe('the documents of a page', () => {
  it.each([
    ['[]', []],
    [' [ ] ', []],
    ['\ufeff[{}]', ['{}']],
    ['\r\n\t [ {} , {"a":1}\n] \n', ['{}', '{"a":1}']],
    ['[{"a":{},"b":[],"c":[[],{}]}]', ['{"a":{},"b":[],"c":[[],{}]}']],
    ['[{"a":[1,"x",null,{"b":[true]}],"c":-1.5e3}]', ['{"a":[1,"x",null,{"b":[true]}],"c":-1.5e3}']],
    ['[{"}]":"]}\\""},{}]', ['{"}]":"]}\\""}', '{}']],
    ['[{ \t"a" \t: \t[ \t1 \t, \t2 \t] \t} \t]', ['{ \t"a" \t: \t[ \t1 \t, \t2 \t] \t}']],
  ])('are found in %j', (page, expected) => {
    expect(scan(page).map(({ document }) => document)).toEqual(expected)
  })

  it.each([
    ['[{"a":1\n}]', [true]],
    ['[{\r"a":1}]', [true]],
    ['[{"a":1\n},{"b":\t2 }]', [true, false]],
    ['\n[\n{"a":1}\n,\n{"a":"\\n"}\n]\n', [false, false]],
  ])('of %j have line breaks between their tokens: %j', (page, expected) => {
    expect(scan(page).map(({ hasLineBreaks }) => hasLineBreaks)).toEqual(expected)
  })
})

describe('the id of a document', () => {
  it('is found in the configured field, with an escape in its name', () => {
    expect(scan('[{"long\\u0049d":1}]', 'longId')[0]?.id).toBe('1')
    expect(scan('[{"\\u0061":1}]', 'abcdef')[0]?.id).toBeUndefined()
  })

  it('is undefined before the first document', () => {
    const scanner = new DocumentScanner(Buffer.from('[{"id":1}]'), Buffer.from('id'))
    expect([scanner.identity(), scanner.hasLineBreaks]).toEqual([undefined, false])
  })
})

it('accepts the scalars that a JSON parser accepts, and no others', () => {
  const strings = '"" "a,b" "漢" "\\"" "\\\\" "\\/" "\\b\\f\\n\\r\\t" "\\u00e9" "\\uABCDx" "\\u0000\\u9999"'
  const numbers = '0 -0 7 10 -123 0.5 1.25 1e5 1E5 0e0 1e+5 1.5E-10 true false null'
  const wrongNumbers = '01 1.5.2 1e5e1 1-1 1+1 +1 .5 - -a 1. 1.e5 1e 0e+ 0E-x 1e*5 tru falsy nil! nullnull'
  const wrongStrings = '"a "\u001f" "\n" "\\x" "a\\ "\\u12" "\\u12g4" "\\u123 "\\U1234"'
  for (const scalar of `${strings} ${numbers} ${wrongNumbers} ${wrongStrings}`.split(' ')) {
    const page = `[{"a":${scalar}}]`
    expect([scalar, isAccepted(() => scan(page))]).toEqual([scalar, isAccepted(() => JSON.parse(page))])
  }
})

const isAccepted = (read: () => unknown) => {
  try {
    read()
    return true
  } catch {
    return false
  }
}

describe('a malformed page', () => {
  const container = 'expected a comma or the end of the object or array'

  it.each([
    ['[1]', 'expected a document at byte 1'],
    ['[{},]', 'expected a document at byte 4'],
    ['[', 'expected a document at byte 1'],
    ['[{} {}]', 'expected a comma or the end of the page at byte 4'],
    ['[{}', 'expected a comma or the end of the page at byte 3'],
    ['[] x', 'expected nothing after the array at byte 2'],
    ['[{}] x', 'expected nothing after the array at byte 4'],
    ['[{]', 'expected a key at byte 2'],
    ['[{1:2}]', 'expected a key at byte 2'],
    ['[{"a":1,}]', 'expected a key at byte 8'],
    ['[{"a":1,2}]', 'expected a key at byte 8'],
    ['[{"a":{,}}]', 'expected a key at byte 7'],
    ['[{"a" 1}]', 'expected a colon at byte 6'],
    ['[{"a"}]', 'expected a colon at byte 5'],
    ['[{"a":}]', 'expected a value at byte 6'],
    ['[{"a":]}]', 'expected a value at byte 6'],
    ['[{"a":[}]', 'expected a value at byte 7'],
    ['[{"a":[1,]}]', 'expected a value at byte 9'],
    ['[{"a":[,]}]', 'expected a value at byte 7'],
    ['[{"a":01}]', `${container} at byte 7`],
    ['[{"a":1.}]', 'expected a digit at byte 8'],
    ['[{"a":"b\n"}]', 'expected the end of a string at byte 8'],
    ['[{"a":"b\\x"}]', 'expected an escape at byte 8'],
    ['[{"a":1', `${container} at byte 7`],
    ['[{"a":1]', `${container} at byte 7`],
    ['[{"a":1:2}]', `${container} at byte 7`],
    ['[{"a":1 "b":2}]', `${container} at byte 8`],
    ['[{"a":[1}]', `${container} at byte 8`],
    ['[{"a":[1 2]}]', `${container} at byte 9`],
    ['[{"a":{"b":1]}]', `${container} at byte 12`],
  ])('%j is reported with the position', (page, problem) => {
    const at = Number(/\d+$/.exec(problem)?.[0])
    expect(() => scan(page)).toThrow(new MalformedPage(`The page is not JSON: ${problem}.`, { at }))
  })

  // The last three share two of the three bytes of a byte order mark.
  it.each(['', '{}', 'x[]', '\ufeff', '\ufeff{}', '仿[]', '＿[]', '\ufefe[]'])(
    '%j is reported as no array',
    (page) => expect(() => scan(page)).toThrow(new MalformedPage('The page is not a JSON array.')),
  )
})
