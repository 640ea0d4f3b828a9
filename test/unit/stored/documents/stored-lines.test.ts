import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MalformedPage } from '../../../../stored/documents/json-scalars.ts'
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
})
