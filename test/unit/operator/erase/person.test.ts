import { describe, expect, it } from 'vitest'
import { idHashOf } from '../../../../functions/chain/delivered-versions.ts'
import { addDocuments, hasPerson, nobody, personWithId } from '../../../../operator/erase/person.ts'
import { hasHash } from '../../../../operator/erase/search.ts'
import { fulfils, readCondition } from '../../../../operator/history/condition.ts'

const ann = '{"id":"a1","email":"ann@example.com"}'
const lines = (...all: string[]) => Buffer.from(all.map((line) => `${line}\n`).join(''))
const documents = (...all: string[]) => ({ holds: 'documents', lines: lines(...all) }) as const
const records = (...all: string[]) => ({ holds: 'records', lines: lines(...all) }) as const

describe('a condition', () => {
  it.each([
    ['email=ann@example.com', ann, true],
    ['email=ann@example.com', '{"email":"\\u0061nn@example.com"}', true],
    ['email=ann@example.com', '{"email":"ann@example.com.br"}', false],
    ['email=ann@example.com', '{"other":"ann@example.com"}', false],
    ['address.city=Porto', '{"address":{"city":"Porto"}}', true],
    ['address.city=Porto', '{"address":"Porto"}', false],
    ['a\\.b=1', '{"a.b":1}', true],
    ['n=12345678901234567890', '{"n":12345678901234567890}', true],
    ['code=a=b', '{"code":"a=b"}', true],
  ])('%s of %s is %s', (condition, document, expected) => {
    expect(fulfils(Buffer.from(document), readCondition(condition))).toBe(expected)
  })

  it.each(['email', 'email=', '=x', 'a..b=x'])('cannot be %s', (text) => {
    expect(() => readCondition(text)).toThrow(/^--where: /)
  })
})

describe('a person', () => {
  it('has the documents with this id, as a text or as a number', () => {
    for (const id of ['"7"', '7']) {
      expect(hasPerson(documents('{"id":"x"}', `{"id":${id}}`), personWithId('7'), ['id'])).toBe(true)
      expect(hasHash(personWithId('7'))([idHashOf('"x"'), idHashOf(id)])).toBe(true)
    }
    expect(hasHash(personWithId('7'))([idHashOf('"x"')])).toBe(false)
    expect(hasPerson(documents('{"id":"x","ref":"7"}'), personWithId('7'), ['id'])).toBe(false)
    expect(hasPerson(records(`{"op":"d","id":"7","before":{"id":"7"}}`), personWithId('7'), ['id'])).toBe(
      true,
    )
  })

  it('has the documents that an earlier field identified', () => {
    expect(hasPerson(documents('{"id":"x","code":7}'), personWithId('7'), ['id', 'code'])).toBe(true)
  })

  it('is known by its id in versions that lack the value', () => {
    const person = nobody()
    addDocuments(person, records(`{"op":"u","id":"a1","before":${ann},"after":{"id":"a1"}}`), {
      condition: readCondition('email=ann@example.com'),
      idFields: ['id'],
    })
    expect([...person.ids]).toEqual(['"a1"'])
    expect(hasPerson(documents('{"id":"a1","email":"new"}'), person, ['id'])).toBe(true)
    expect(hasPerson(documents('{"id":"b2","email":"new"}'), person, ['id'])).toBe(false)
  })

  it('is known by the bytes of documents without an id', () => {
    const person = nobody()
    const document = '{"email":"ann@example.com"}'
    const where = { condition: readCondition('email=ann@example.com'), idFields: ['id'] }
    addDocuments(person, documents(document), where)
    expect(hasPerson(documents(document), person, ['id'])).toBe(true)
    expect(hasPerson(records(`{"op":"d","id":null,"before":${document}}`), person, ['id'])).toBe(true)
    expect(hasPerson(records('{"op":"d","id":null,"before":{"email":"x"}}'), person, ['id'])).toBe(false)
    // It has the field that identified documents earlier.
    const renamed = records(`{"op":"d","id":null,"before":${document}}`)
    expect(hasPerson(renamed, person, ['email', 'id'])).toBe(true)
  })
})
