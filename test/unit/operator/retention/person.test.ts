import { describe, expect, it } from 'vitest'
import type { ObjectLines } from '../../../../operator/history/condition.ts'
import { compareField, conditionOfId, readCondition } from '../../../../operator/history/condition.ts'
import { hasPerson, nobody, openNotice, personWithId } from '../../../../operator/retention/person.ts'
import { hasHash } from '../../../../operator/retention/search.ts'
import { idHashOf } from '../../../../stored/chain/delivered-versions.ts'

const ann = '{"id":"a1","email":"ann@example.com"}'
const lines = (...all: string[]) => Buffer.from(all.map((line) => `${line}\n`).join(''))
const documents = (...all: string[]) => ({ holds: 'documents', lines: lines(...all) }) as const
const records = (...all: string[]) => ({ holds: 'records', lines: lines(...all) }) as const

describe('a condition', () => {
  it.each([
    ['email=ann@example.com', ann, 'equal'],
    ['email=ann@example.com', '{"email":"\\u0061nn@example.com"}', 'equal'],
    ['email=ann@example.com', '{"email":"ann@example.com.br"}', 'different'],
    ['email=ann@example.com', '{"other":"ann@example.com"}', 'no-field'],
    ['address.city=Porto', '{"address":{"city":"Porto"}}', 'equal'],
    ['address.city=Porto', '{"address":"Porto"}', 'no-field'],
    ['a\\.b=1', '{"a.b":1}', 'equal'],
    ['n=12345678901234567890', '{"n":12345678901234567890}', 'equal'],
    ['n=1', '{"n":1.0}', 'different'],
    ['n=1.0', '{"n":1.0}', 'equal'],
    ['n=1', '{"n":"1"}', 'equal'],
    ['code=a=b', '{"code":"a=b"}', 'equal'],
    ['active=true', '{"active":true}', 'equal'],
    ['name=null', '{"name":null}', 'different'],
    ['name=NULL', '{"name":null}', 'different'],
    ['name={}', '{"name":{}}', 'different'],
    ['emails=a', '{"emails":["b", "a"]}', 'equal'],
    ['emails=a', '{"emails":[["b"],[[], "a"]]}', 'equal'],
    ['emails=a', '{"emails":["A", {"x":"a"}, "b"]}', 'other-form'],
    ['emails=a', '{"emails":["A", "a"]}', 'equal'],
    ['emails=a', '{"emails":[]}', 'different'],
    ['people.email=a', '{"people":[{"name":"b"},{"email":["b","a"]}]}', 'equal'],
    ['people.email=a', '{"people":[]}', 'no-field'],
    ['email=a', '{"email":"a","email":"b"}', 'equal'],
    ['email=ann@EXAMPLE.com', ann, 'other-form'],
    ['email=ann@example.com', '{"email":"\\t ann@example.com\u00a0\u200e\\n"}', 'other-form'],
    ['name=Ann Smith', '{"name":"Ann  \u200bSmith"}', 'other-form'],
    ['phone=+351 912', '{"phone":"+351912"}', 'other-form'],
    ['email=ann@example.com', '{"email":"a.nn@example.com"}', 'different'],
    ['name=jose\u0301', '{"name":"JOS\u00c9"}', 'other-form'],
    ['name=ann', '{"name":"\uff41\uff2e\uff4e"}', 'other-form'],
    ['name=STRA\u1e9eE', '{"name":"Stra\u00dfe"}', 'other-form'],
    ['name=\u0130LKER', '{"name":"ilker\\u0000"}', 'other-form'],
    ['name=jose', '{"name":"jos\u00e9"}', 'different'],
    ['active=TRUE', '{"active":true}', 'other-form'],
    ['n=1E5', '{"n":1e5}', 'other-form'],
  ])('%s of %s is %s', (condition, document, expected) => {
    expect(compareField(Buffer.from(document), readCondition(condition)).result).toBe(expected)
  })

  it.each(['email', 'email=', '=x', 'a..b=x'])('cannot be %s', (text) => {
    expect(() => readCondition(text)).toThrow(/^--where: /)
  })
})

it.each([
  ['{"$oid":"65f0"}', 'id.$oid=65f0'],
  [' {"a.b":{"c":12345678901234567890},"d":null,"e":["x"]}', 'id.a\\.b.c=12345678901234567890'],
  ['["x",1]', 'id=x'],
  ['{}', 'FIELD=VALUE'],
  ['[{"a":"","b=c":2,"k":1}]', 'id.k=1'],
  ['{65f0}', undefined],
  ['"x"', undefined],
  ['17', undefined],
  ['null', undefined],
])('documents with %s as their id are found by %s', (id, expected) => {
  expect(conditionOfId(id, 'id')).toBe(expected)
})

/** What a search for documents with a value finds and tells. */
function noticed(where: string, forms: 'exact' | 'any', ...all: ObjectLines[]) {
  const person = nobody()
  using notice = openNotice({ by: 'where', condition: readCondition(where), forms }, person, ['id'])
  for (const stored of all) notice.add(stored)
  return { person, ...notice.result() }
}

describe('a search', () => {
  const capitals = '{"id":"b2","email":"ANN@example.com"}'
  const stored = [
    documents(ann, capitals, '{"id":"c3","Mail":"x","home":{"phone":1}}', '{"email":null}'),
    records(`{"op":"u","id":"b2","before":${capitals},"after":{"id":"b2","email":"x"}}`),
  ]

  it('counts the documents that have the field, and those that have the value in another form', () => {
    const found = noticed('email=ann@example.com', 'exact', ...stored)
    expect([...found.person.ids]).toEqual(['"a1"'])
    expect(found).toMatchObject({ counted: 3, otherForms: ['ANN@example.com'] })
    expect([...noticed('email=ann@example.com', 'any', ...stored).person.ids]).toEqual(['"a1"', '"b2"'])
  })

  it('does not count a document that also has exactly the value', () => {
    const earlier = documents('{"id":"b2","email":"ann@example.com"}')
    expect(noticed('email=ann@example.com', 'any', earlier, ...stored).otherForms).toEqual([])
  })

  it('lists the fields of documents that do not have the field', () => {
    expect(noticed('EMAIL=x', 'exact', ...stored)).toMatchObject({
      counted: 0,
      fields: ['id', 'email', 'Mail', 'home', 'home.phone'],
    })
  })

  it('for an id tells of ids in another form, and counts documents without one', () => {
    using notice = openNotice({ by: 'id', id: 'B2' }, personWithId('B2'), ['id', 'code'])
    for (const one of stored) notice.add(one)
    notice.add(documents('{"id":{"x":"B2"}}', '{"code":7}'))
    expect(notice.result()).toMatchObject({ counted: 2, otherForms: ['b2'] })
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
    const changed = records(`{"op":"u","id":"a1","before":${ann},"after":{"id":"a1"}}`)
    const { person } = noticed('email=ann@example.com', 'exact', changed)
    expect([...person.ids]).toEqual(['"a1"'])
    expect(hasPerson(documents('{"id":"a1","email":"new"}'), person, ['id'])).toBe(true)
    expect(hasPerson(documents('{"id":"b2","email":"new"}'), person, ['id'])).toBe(false)
  })

  it('is known by the bytes of documents without an id', () => {
    const document = '{"id":{"$oid":"7"},"email":"ann@example.com"}'
    const { person } = noticed('id.$oid=7', 'exact', documents(document))
    expect(person).toMatchObject({ ids: new Set(), withoutId: { size: 1 } })
    expect(hasPerson(documents(document), person, ['id'])).toBe(true)
    expect(hasPerson(records(`{"op":"d","id":null,"before":${document}}`), person, ['id'])).toBe(true)
    expect(hasPerson(records('{"op":"d","id":null,"before":{"email":"x"}}'), person, ['id'])).toBe(false)
    // It has the field that identified documents earlier.
    const renamed = records(`{"op":"d","id":null,"before":${document}}`)
    expect(hasPerson(renamed, person, ['email', 'id'])).toBe(true)
  })
})
