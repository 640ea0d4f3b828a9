import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ConfigurationInput, resolveConfig } from '../../../lib/config.ts'
import { errorsIn } from './configurations.ts'

const configuration = (entity: object, keys: object = {}) => ({
  upstream: { baseUrl: 'https://shop.example.com' },
  entities: [{ name: 'CL', schedule: 'rate(1 day)', ...entity }],
  ...keys,
})

const columnsOf = (columns: unknown) => resolveConfig(configuration({ columns })).entities[0]?.columns

const errorsOf = (columns: unknown) => errorsIn(configuration({ columns }))

describe('the columns of an entity', () => {
  it('are the columns of the documentation', () => {
    const columns: NonNullable<ConfigurationInput['entities']>[number]['columns'] = {
      id: 'string',
      createdIn: 'timestamp',
      orders: 'long',
      total: 'decimal(18,2)',
      city: { from: 'address.city', type: 'string' },
      email_hash: { from: 'email', type: 'string', hash: 'sha256' },
      tags: 'json',
    }
    expect(columnsOf(columns)).toEqual([
      { name: 'id', from: ['id'], type: { kind: 'string' } },
      { name: 'created_in', from: ['createdIn'], type: { kind: 'timestamp' } },
      { name: 'orders', from: ['orders'], type: { kind: 'long' } },
      { name: 'total', from: ['total'], type: { kind: 'decimal', precision: 18, scale: 2 } },
      { name: 'city', from: ['address', 'city'], type: { kind: 'string' } },
      { name: 'email_hash', from: ['email'], type: { kind: 'string', hash: 'sha256' } },
      { name: 'tags', from: ['tags'], type: { kind: 'json' } },
    ])
  })

  it('are strings if only their names are listed', () => {
    expect(columnsOf(['id', 'createdIn'])).toEqual([
      { name: 'id', from: ['id'], type: { kind: 'string' } },
      { name: 'created_in', from: ['createdIn'], type: { kind: 'string' } },
    ])
  })

  it('are absent by default', () => {
    const [entity] = resolveConfig(configuration({})).entities
    expect(entity).toMatchObject({ columns: undefined, schemaReport: false })
  })

  it.each([
    ['without columns', { schemaReport: true }, true],
    ['with columns', { columns: ['id'] }, true],
    ['with columns and false', { columns: ['id'], schemaReport: false }, true],
    ['without columns and false', { schemaReport: false }, false],
  ])('have a schema report: %s', (_what, keys, expected) => {
    expect(resolveConfig(configuration(keys)).entities[0]?.schemaReport).toBe(expected)
  })

  it('may have the names of members of Object.prototype', () => {
    const columns = JSON.parse('{"__proto__":"string","constructor":"int","prototype":"json"}') as unknown
    expect(columnsOf(columns)).toEqual([
      { name: '__proto__', from: ['__proto__'], type: { kind: 'string' } },
      { name: 'constructor', from: ['constructor'], type: { kind: 'int' } },
      { name: 'prototype', from: ['prototype'], type: { kind: 'json' } },
    ])
  })
})

describe('the name of a column', () => {
  it.each([
    ['createdIn', 'created_in'],
    ['SKUCode', 'skucode'],
    ['skuSKUCode', 'sku_skucode'],
    ['address2Line', 'address2_line'],
    ['A', 'a'],
    ['aB', 'a_b'],
    ['a_B', 'a_b'],
    ['_id', '_id'],
    ['ID_', 'id_'],
    ['x'.repeat(255), 'x'.repeat(255)],
  ])('%s becomes %s', (written, name) => {
    expect(columnsOf({ [written]: 'int' })).toEqual([{ name, from: [written], type: { kind: 'int' } }])
    expect(columnsOf([written])).toMatchObject([{ name, from: [written] }])
  })

  it('is lowered once: the result stays as it is', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,30}$/), (written) => {
        const [column] = columnsOf([written]) ?? []
        expect(column?.name).toMatch(/^[a-z_][a-z0-9_]*$/)
        expect(column?.name.replaceAll('_', '')).toBe(written.toLowerCase().replaceAll('_', ''))
        expect(columnsOf([column?.name])?.[0]?.name).toBe(column?.name)
      }),
    )
  })

  it('is a name or an error, whatever is written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 12 }), (written) => {
        const [outcome = columnsOf([written])?.[0]?.name] = errorsOf([written])
        expect(outcome).toMatch(/^(?:[a-z_][a-z0-9_]*$|entities\[0\]\.columns\[0\]: )/)
      }),
    )
  })
})

describe('the path of a column', () => {
  it.each([
    ['city', ['city']],
    ['address.city', ['address', 'city']],
    ['a.b.c', ['a', 'b', 'c']],
    ['first\\.name', ['first.name']],
    ['a\\.b.c\\.d', ['a.b', 'c.d']],
    ['\\.', ['.']],
    ['a\\b', ['a\\b']],
    ['größe "x"', ['größe "x"']],
  ])('%s', (from, members) => {
    expect(columnsOf({ x: { from, type: 'json' } })).toMatchObject([{ name: 'x', from: members }])
  })

  it('has every member name whose dots are written with a backslash', () => {
    const memberName = fc.string({ minLength: 1, maxLength: 8 }).filter((name) => !name.includes('\\'))
    fc.assert(
      fc.property(fc.array(memberName, { minLength: 1, maxLength: 4 }), (members) => {
        const from = members.map((name) => name.replaceAll('.', '\\.')).join('.')
        expect(columnsOf({ x: { from, type: 'string' } })?.[0]?.from).toEqual(members)
      }),
    )
  })
})

describe('the type of a column', () => {
  it.each(['string', 'boolean', 'int', 'long', 'double', 'date', 'timestamp', 'json'])('%s', (kind) => {
    expect(columnsOf({ x: kind })).toEqual([{ name: 'x', from: ['x'], type: { kind } }])
    expect(columnsOf({ x: { type: kind } })).toEqual(columnsOf({ x: kind }))
  })

  it.each([
    ['decimal(1,0)', 1, 0],
    ['decimal(18, 2)', 18, 2],
    ['decimal(38,38)', 38, 38],
  ])('%s', (text, precision, scale) => {
    expect(columnsOf({ x: text })).toMatchObject([{ type: { kind: 'decimal', precision, scale } }])
  })
})

describe('an error of the columns names its path and a correct value', () => {
  const types = 'string, boolean, int, long, double, decimal(p,s), date, timestamp or json'

  it.each<[unknown, string]>([
    [{}, "entities[0].columns: is empty; add a column, or omit 'columns' if the entity needs no table"],
    [[], "entities[0].columns: is empty; add a column, or omit 'columns' if the entity needs no table"],
    [
      'id',
      "entities[0].columns: 'id' is not an object of columns, such as { id: 'string' }, or a list of names",
    ],
    [null, 'entities[0].columns: null is not an object of columns, '],
    [[{ id: 'string' }], "entities[0].columns[0]: an object is not the name of a column, such as 'city'"],
    [['id', 'id'], "entities[0].columns[1]: 'id' is already in the list; remove it"],
    [
      ['createdIn', 'created_in'],
      "entities[0].columns[1]: 'created_in' and 'createdIn' have the same column name, 'created_in'; rename one of them, and name its member of the document in 'from'",
    ],
    [
      { createdIn: 'date', created_in: 'date' },
      "entities[0].columns.created_in: 'created_in' and 'createdIn' have the same column name, 'created_in'; ",
    ],
    [
      { 'e-mail': 'string' },
      "entities[0].columns.e-mail: 'e-mail' is not the name of a column: lower-case letters, digits and _, not beginning with a digit; use e_mail: { from: 'e-mail', type: … }",
    ],
    [
      ['address.city'],
      "entities[0].columns[0]: 'address.city' is not the name of a column: lower-case letters, digits and _, not beginning with a digit; use address_city: { from: 'address.city', type: … }",
    ],
    [{ '2nd': 'int' }, "; use _2nd: { from: '2nd', type: … }"],
    [{ größe: 'int' }, "; use gr_e: { from: 'größe', type: … }"],
    [{ '': 'int' }, "entities[0].columns['']: '' is not the name of a column"],
    // The sign of a Kelvin is lowered to an ASCII letter.
    [{ '\u212A': 'int' }, "'\u212A' is not the name of a column"],
    [{ ['x'.repeat(256)]: 'int' }, 'gives a column name of 256 characters; use at most 255'],
    [{ id: 'text' }, `entities[0].columns.id: 'text' is not a type; use ${types}`],
    [{ id: 'String' }, `entities[0].columns.id: 'String' is not a type; use ${types}`],
    [{ id: 5 }, `entities[0].columns.id: 5 is not a type: ${types}`],
    [{ id: ['string'] }, 'entities[0].columns.id: a list is not an object with from, type, hash'],
    [{ id: {} }, `entities[0].columns.id.type: is missing; it must be a type: ${types}`],
    [{ id: { type: 'string', form: 'x' } }, "entities[0].columns.id.form: unknown key. Did you mean 'from'?"],
    [{ id: 'decimal' }, `'decimal' is not a type; use ${types}`],
    [{ id: 'decimal(18)' }, `'decimal(18)' is not a type; use ${types}`],
    [{ id: 'decimal(018,2)' }, "'decimal(018,2)' is not a type"],
    [{ id: 'decimal(18,-2)' }, "'decimal(18,-2)' is not a type"],
    [
      { id: 'decimal(39,2)' },
      "entities[0].columns.id: 'decimal(39,2)' has 39 digits; use 1 to 38, such as decimal(18,2)",
    ],
    [{ id: 'decimal(0,0)' }, "'decimal(0,0)' has 0 digits; use 1 to 38, such as decimal(18,2)"],
    [
      { id: { type: 'decimal(2,3)' } },
      "entities[0].columns.id.type: 'decimal(2,3)' has more fractional digits (3) than digits (2); ",
    ],
    [
      { id: { type: 'string', from: '' } },
      "entities[0].columns.id.from: is empty; name the member, such as 'address.city'",
    ],
    [
      { id: { type: 'string', from: 'a..b' } },
      "entities[0].columns.id.from: 'a..b' has an empty member name; use a path such as 'address.city', and write a dot inside a member name as '\\\\.'",
    ],
    [{ id: { type: 'string', from: 'a.' } }, "'a.' has an empty member name"],
    [
      { id: { type: 'string', from: ['a'] } },
      "entities[0].columns.id.from: a list is not a path of members, such as 'address.city'",
    ],
    [{ id: { type: 'string', hash: 'md5' } }, "entities[0].columns.id.hash: 'md5' is not 'sha256'"],
    [{ id: { type: 'string', hash: true } }, "entities[0].columns.id.hash: true is not 'sha256'"],
    [
      { id: { type: 'long', hash: 'sha256' } },
      "entities[0].columns.id.hash: applies only to columns of type string, but this one is long; use type: 'string', or remove hash",
    ],
  ])('%j: %s', (columns, error) => expect(errorsOf(columns)).toEqual([expect.stringContaining(error)]))

  it('and all errors are reported at once', () => {
    const errors = errorsOf({
      'e-mail': 'text',
      id: { from: '.', type: 'uuid', hash: 'md5', of: 1 },
      a: 'int',
      A: 'int',
    })
    expect(errors.map((error) => error.slice(0, error.indexOf(':'))).sort()).toEqual([
      'entities[0].columns.A',
      'entities[0].columns.e-mail',
      'entities[0].columns.e-mail',
      'entities[0].columns.id.from',
      'entities[0].columns.id.hash',
      'entities[0].columns.id.of',
      'entities[0].columns.id.type',
    ])
  })

  it.each([
    [true, ["entities[1].name: 'cl' and 'CL' would have the same table name in Glue"]],
    [false, []],
  ])('two entities whose names differ only in case, with athena: %s', (athena, expected) => {
    const entities = ['CL', 'cl'].map((name) => ({ name, schedule: 'rate(1 day)', columns: ['id'] }))
    expect(errorsIn(configuration({}, { athena, entities }))).toEqual(
      expected.map((text) => expect.stringContaining(text) as string),
    )
  })
})
