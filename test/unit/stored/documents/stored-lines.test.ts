import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MalformedPage } from '../../../../stored/documents/json-scalars.ts'
import { DocumentScanner } from '../../../../stored/documents/json-scanner.ts'
import { PageLines } from '../../../../stored/documents/stored-lines.ts'

function read(page: string, idField = 'id') {
  const text = Buffer.from(page)
  const lines = new PageLines(text, Buffer.from(idField))
  const found: { document: string; id: string | undefined; identity: string }[] = []
  while (lines.next()) {
    const id = lines.rawId()
    found.push({
      document: text.toString('utf8', lines.start, lines.end),
      id: id && Buffer.from(id).toString(),
      identity: lines.identity().toString(),
    })
  }
  return found
}

describe('the lines of a stored page', () => {
  it('are its documents, in order', () => {
    const page = '{"id":"1","a":{"id":"x"}}\n{"b":[{"id":"y"}],"id":2}\n{}\n'
    expect(read(page)).toEqual([
      { document: '{"id":"1","a":{"id":"x"}}', id: '"1"', identity: '"1"' },
      { document: '{"b":[{"id":"y"}],"id":2}', id: '2', identity: '2' },
      { document: '{}', id: undefined, identity: '{}' },
    ])
  })

  it.each([
    ['{"id":"a","id":"b"}', '"b"', 'the last of several id fields'],
    ['{"id":"a","i\\u0064":"b"}', '"b"', 'the last of several id fields, with an escape in its name'],
    ['{"id":"a","x":"\\n","id":"b"}', '"b"', 'the last of several id fields, after an escape'],
    ['{"id":"a","x":{"id":"b"}}', '"a"', 'an id before a nested one'],
    ['{"i\\u0064":"a"}', '"a"', 'an id field with an escape in its name'],
    ['{"\\u0069d":"a"}', '"a"', 'an id field whose name begins with an escape'],
    ['{ "id" : 7 , "x" : 1 }', '7', 'an id between white space'],
    ['{"idx":1,"i":2,"id":3}', '3', 'an id field with similar names before it'],
    ['{"id":4,"i":1,"idx":2,"xd":3,"\\u0061":5}', '4', 'an id field with similar names after it'],
    ['{"x":"\\"id\\":1}","id":true}', 'true', 'an id after a string that looks like one'],
    ['{"x":["]}"],"y":{"z":{"]":[[],{}]}},"id":4}', '4', 'an id after nested values'],
    ['{"":0,"xd":1,"id2":2,"id":"5\\\\"}', '"5\\\\"', 'an id that ends in a backslash'],
  ])('have in %s the id %s: %s', (document, id) => {
    expect(read(`${document}\n`)).toEqual([{ document, id, identity: id }])
  })

  it.each(['{"id":null}', '{"id":{"a":1}}', '{"id":[1]}', '{"id":1,"id":null}', '{"a":1}'])(
    'identify %s by its bytes',
    (document) => expect(read(`${document}\n`)).toEqual([{ document, id: undefined, identity: document }]),
  )

  it('identify a document by one spelling of its id', () => {
    expect(read('{"id":"\\u0061b"}\n')).toEqual([
      { document: '{"id":"\\u0061b"}', id: '"\\u0061b"', identity: '"ab"' },
    ])
  })

  it.each([
    ['x\n', 'expected a document at byte 0'],
    ['{"id":1\n', 'expected a key at byte 8'],
    ['{1:2}\n', 'expected a key at byte 1'],
    ['{"a":[1}', 'expected a key at byte 8'],
    ['{"id":"1}\n', 'expected the end of a string at byte 10'],
    ['{"id":"1\\', 'expected the end of a string at byte 10'],
    ['{"id" 1}\n', 'expected a colon at byte 6'],
    ['{"a":1', 'expected the end of a value at byte 6'],
    ['{"a":[1', 'expected the end of a value at byte 7'],
    ['{"a":1} {"b":2}\n', 'expected the end of the line at byte 7'],
  ])('report where %j is malformed', (page, problem) => {
    const at = Number(/\d+$/.exec(problem)?.[0])
    expect(() => read(page)).toThrow(new MalformedPage(`The page is not JSON: ${problem}.`, { at }))
  })

  it('may end without a line feed', () => {
    expect(read('{"id":1}\n{"id":2}').map(({ id }) => id)).toEqual(['1', '2'])
  })

  it('can be read in any order', () => {
    const documents = ['{"id":1}', '{"id":2,"a":"\\n","id":3}', '{"id":4,"a":{"id":5}}', '{"id":6,"id":7}']
    const text = Buffer.from(documents.map((document) => `${document}\n`).join(''))
    const starts = documents.map((document) => text.indexOf(document))
    const orders = fc.array(fc.nat({ max: documents.length - 1 }), { minLength: 2 })
    fc.assert(
      fc.property(orders, (order) => {
        const lines = new PageLines(text, Buffer.from('id'))
        const ids = order.map((position) => {
          lines.moveTo(starts[position] ?? 0)
          return lines.identity()
        })
        expect(ids).toEqual(order.map((position) => ['1', '3', '4', '7'][position]))
      }),
    )
  })

  it('have no id before the first document', () => {
    expect(new PageLines(Buffer.from('{"id":1}'), Buffer.from('id')).hasId).toBe(false)
  })

  it('have the identities that the worker counted', () => {
    const id = fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.boolean(), fc.constant(null))
    const name = fc.constantFrom('"id"', '"i\\u0064"', '"a"', '"idx"')
    const value = fc.oneof(id, fc.jsonValue(), fc.constant({ id: 1 }))
    const member = fc.tuple(name, value).map(([name, value]) => `${name}:${JSON.stringify(value)}`)
    const document = fc.array(member, { maxLength: 4 }).map((members) => `{${members.join(',')}}`)
    fc.assert(
      fc.property(fc.array(document, { minLength: 1 }), fc.boolean(), (documents, escaped) => {
        const texts = documents.map((one) => spelled(one, escaped))
        const text = Buffer.from(`[${texts.join(',')}]`)
        const scanner = new DocumentScanner(text, Buffer.from('id'))
        const expected: string[] = []
        while (scanner.next())
          expected.push(scanner.identity() ?? text.toString('utf8', scanner.start, scanner.end))
        expect(read(texts.map((text) => `${text}\n`).join('')).map(({ identity }) => identity)).toEqual(
          expected,
        )
      }),
    )
  })
})

/** The same JSON with every character outside ASCII escaped, or as it is. */
function spelled(json: string, escaped: boolean): string {
  if (!escaped) return json
  return json.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
