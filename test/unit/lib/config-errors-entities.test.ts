import { describe, expect, it } from 'vitest'
import { describeValue } from '../../../functions/runtime/settings-schema/schema-parts.ts'
import { beginningsOf, entity, errorsIn, withEntity, withKeys } from './configurations.ts'

describe('resolveConfig names each error and a correct value', () => {
  it.each<[unknown, string]>([
    // entities
    [withKeys({ entities: {} }), 'entities: an object is not a list of entities'],
    [withKeys({ entities: ['CL'] }), "entities[0]: 'CL' is not an object with name, schedule, "],
    [
      withKeys({ entities: [{ schedule: 'rate(1 day)' }] }),
      'entities[0].name: is missing; it must be the name of an entity: a letter or digit, then up to 63 letters',
    ],
    [
      withKeys({ entities: [{ name: 'CL' }] }),
      "entities[0].schedule: is missing; it must be rate(…) or cron(…), such as 'rate(6 hours)'",
    ],
    [
      withEntity({ schedule: 'cron(0 0 31 2 ? *)' }),
      "entities[0].schedule: 'cron(0 0 31 2 ? *)' never runs: that date does not exist",
    ],
    [withKeys({ entities: [null, entity] }), 'entities[0]: null is not an object'],
    [
      withEntity({ name: 'a/b' }),
      "entities[0].name: 'a/b' is not the name of an entity: a letter or digit, then up to 63 letters, digits, _ and -",
    ],
    ...['..', '', '-rf', '__proto__', 'x'.repeat(65)].map((name): [unknown, string] => [
      withEntity({ name }),
      `entities[0].name: ${describeValue(name)} is not the name of an entity`,
    ]),
    [
      withEntity({ timezone: 'Lisbon' }),
      "entities[0].timezone: 'Lisbon' is not a time zone, such as 'Europe/Lisbon'",
    ],
    ...['BST', 'IST', 'PST', 'GMT+3', 'UTC+3', '+01:00', '', 'Factory', 'SystemV/PST8', 'Etc/Unknown'].map(
      (timezone): [unknown, string] => [
        withEntity({ timezone }),
        `entities[0].timezone: '${timezone}' is not a time zone`,
      ],
    ),
    ...['Europe/Lisbon', 'US/Pacific', 'Europe/Kyiv', 'Europe/Kiev', 'UTC', 'EST5EDT', 'GB'].map(
      (timezone): [unknown, string] => [
        withEntity({ timezone: timezone.toLowerCase() }),
        `entities[0].timezone: '${timezone.toLowerCase()}' must be written '${timezone}'`,
      ],
    ),
    [withEntity({ pageSize: 0 }), 'entities[0].pageSize: 0 is not a whole number from 1 to 1000'],
    [withEntity({ pageSize: 1001 }), 'entities[0].pageSize: 1001 is not a whole number from 1 to 1000'],
    [withEntity({ idField: ' ' }), "entities[0].idField: ' ' is not the name of a field"],
    [withEntity({ keepSnapshots: 0 }), 'entities[0].keepSnapshots: 0 is not a whole number from 1 to 1000'],
    [withEntity({ keepSnapshots: { last: 7 } }), 'entities[0].keepSnapshots.daily: is missing'],
    [withEntity({ keepSnapshots: { dayly: 7, daily: 1 } }), 'entities[0].keepSnapshots.dayly: unknown key'],
    [withEntity({ keepSnapshots: [7] }), 'entities[0].keepSnapshots: a list is not an object'],
    [
      withEntity({ maxShrinkPercent: 101 }),
      'entities[0].maxShrinkPercent: 101 is not a number from 0 to 100',
    ],
    [
      withEntity({ totalTolerancePercent: -1 }),
      'entities[0].totalTolerancePercent: -1 is not a number from 0 to 100',
    ],
    [withEntity({ totals: 'none' }), "entities[0].totals: 'none' is not 'check' or 'ignore'"],
    [
      withEntity({ totals: 'ignore', partitions: { by: 'createdIn', count: 2 } }),
      "entities[0].totals: cannot be 'ignore' with partitions, which need totals; remove one of the two",
    ],
    [withEntity({ allowEmpty: 'no' }), "entities[0].allowEmpty: 'no' is not true or false"],
    [withEntity({ enabled: 1 }), 'entities[0].enabled: 1 is not true or false'],
    // _fields
    [
      withEntity({ query: { _fields: 'city,country' } }),
      "entities[0].query._fields: does not contain the idField 'id'; add 'id' or use '_all'",
    ],
    [
      withEntity({ idField: 'userId', query: { _fields: ['id', 'city'] } }),
      "entities[0].query._fields: does not contain the idField 'userId'; add 'userId' or use '_all'",
    ],
    [
      withEntity({ partitions: { by: 'createdIn', count: 4 }, query: { _fields: 'id,city' } }),
      "entities[0].query._fields: does not contain 'createdIn', which partitions need; add 'createdIn' or use '_all'",
    ],
    // partitions
    [
      withEntity({ partitions: { by: 'createdIn' } }),
      'entities[0].partitions.count: is missing; it must be a whole number from 2 to 10',
    ],
    [
      withEntity({ partitions: { by: 'createdIn', count: 11 } }),
      'entities[0].partitions.count: 11 is not a whole number from 2 to 10',
    ],
    [
      withEntity({ partitions: { by: 'created in', count: 2 } }),
      "entities[0].partitions.by: 'created in' is not the name of a date field, such as 'createdIn'",
    ],
    [
      withEntity({ partitions: { by: 'updatedIn', count: 2 } }),
      "entities[0].partitions.by: 'updatedIn' changes with every update; use a field that never changes, such as 'createdIn'",
    ],
    [
      withEntity({ partitions: { by: 'lastInteractionIn', count: 2 } }),
      "entities[0].partitions.by: 'lastInteractionIn' changes with every update",
    ],
    [withEntity({ partitions: false }), 'entities[0].partitions: false is not an object with by, count'],
    // changes
    [
      withEntity({ changes: true }),
      'entities[0].changes: true is not an object with ignore, maxDeletePercent, keepDays',
    ],
    [
      withEntity({ changes: { maxDeletePercent: 101 } }),
      'entities[0].changes.maxDeletePercent: 101 is not a number from 0 to 100',
    ],
    [
      withEntity({ changes: { keepDays: 0 } }),
      'entities[0].changes.keepDays: 0 is not a whole number from 1 to 365',
    ],
    [
      withEntity({ changes: { ignore: 'updatedIn' } }),
      "entities[0].changes.ignore: 'updatedIn' is not a list of field names",
    ],
    [
      withEntity({ changes: { keepdays: 5 } }),
      "entities[0].changes.keepdays: unknown key. Did you mean 'keepDays'?",
    ],
    // query
    [
      withEntity({ query: '_fields=id' }),
      "entities[0].query: '_fields=id' is not an object of query parameters",
    ],
    [
      withEntity({ query: { _size: 10 } }),
      'entities[0].query._size: is set by the sync; use pageSize instead',
    ],
    [withEntity({ query: { _token: 'x' } }), 'entities[0].query._token: is set by the sync; remove it'],
    [
      withEntity({ query: { 'a b': {} } }),
      "entities[0].query['a b']: an object is not a string, a number, true or false",
    ],
    [
      withEntity({ query: { a: ['x', null] } }),
      'entities[0].query.a[1]: null is not a string, a number, true or false',
    ],
    [
      withEntity({ query: { a: [] } }),
      'entities[0].query.a: is an empty list, which sends nothing; remove it',
    ],
    [withEntity({ query: { '': 'x' } }), "entities[0].query['']: is not the name of a parameter"],
  ])('%j: %s', (input, error) => expect(beginningsOf(errorsIn(input), error)).toEqual([error]))

  it('reports an entity that is configured twice', () => {
    expect(errorsIn(withKeys({ entities: [entity, { ...entity, name: 'AD' }, entity] }))).toEqual([
      "entities[2].name: 'CL' is also the name of entities[0]; configure each entity once",
    ])
  })

  it.each([
    ['CL', 'cl'],
    ['A-B', 'A_B'],
    ['CL', 'cl_changes'],
    ['CL_changes', 'CL'],
  ])('reports %s and %s, whose tables in Glue would have the same name', (first, second) => {
    const errors = errorsIn(
      withKeys({
        entities: [
          { ...entity, name: first },
          { ...entity, name: second },
        ],
      }),
    )
    expect(errors).toEqual([
      `entities[1].name: '${second}' and '${first}' would have the same table name in Glue; keep one of them, or set athena to false`,
    ])
  })

  it.each(['longshore-live', 'Longshore_Live'])('reports %s, which is reserved', (name) => {
    const entities = [{ ...entity, name }]
    expect(errorsIn(withKeys({ entities }))).toEqual([
      `entities[0].name: '${name}' would have the same table name in Glue as longshore-live, which is reserved for longshore doctor --live; set athena to false`,
    ])
    expect(errorsIn(withKeys({ entities, athena: false }))).toEqual([])
  })

  it('reports more tables than the Athena stack can have', () => {
    const entities = Array.from({ length: 246 }, (_, index) => ({ ...entity, name: `E${index}` }))
    expect(errorsIn(withKeys({ entities }))).toEqual([
      'entities: need 492 tables in Glue; one stack holds at most 490. Set athena to false, or changes to false for entities that do not need them',
    ])
    expect(errorsIn(withKeys({ entities, athena: false }))).toEqual([])
    expect(errorsIn(withKeys({ entities: entities.map((each) => ({ ...each, changes: false })) }))).toEqual(
      [],
    )
  })

  it('reports more entities than a stack can have', () => {
    const entities = Array.from({ length: 401 }, (_, index) => ({ ...entity, name: `E${index}` }))
    expect(errorsIn(withKeys({ athena: false, entities }))).toEqual([
      'entities: has 401 entities; one stack holds at most 400',
    ])
    expect(errorsIn(withKeys({ athena: false, entities: entities.slice(1) }))).toEqual([])
  })
})
