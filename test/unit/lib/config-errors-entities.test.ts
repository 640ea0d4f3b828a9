import { describe, expect, it } from 'vitest'
import { describeValue } from '../../../functions/runtime/settings-schema/schema-parts.ts'
import { entity, errorsIn, itNames, withEntity, withKeys } from './configurations.ts'

describe('resolveConfig names each error and a correct value', () => {
  itNames(withKeys, '', [
    [{ entities: {} }, 'entities: an object is not a list of entities'],
    [{ entities: ['CL'] }, "entities[0]: 'CL' is not an object with name, schedule, "],
    [
      { entities: [{ schedule: 'rate(1 day)' }] },
      'entities[0].name: is missing; it must be the name of an entity: a letter or digit, then up to 63 letters',
    ],
    [
      { entities: [{ name: 'CL' }] },
      "entities[0].schedule: is missing; it must be rate(…) or cron(…), such as 'rate(6 hours)'",
    ],
    [{ entities: [null, entity] }, 'entities[0]: null is not an object'],
  ])

  itNames(withEntity, 'entities[0].', [
    [
      { schedule: 'cron(0 0 31 2 ? *)' },
      "schedule: 'cron(0 0 31 2 ? *)' never runs: that date does not exist",
    ],
    [
      { name: 'a/b' },
      "name: 'a/b' is not the name of an entity: a letter or digit, then up to 63 letters, digits, _ and -",
    ],
    ...['..', '', '-rf', '__proto__', 'x'.repeat(65)].map((name): [object, string] => [
      { name },
      `name: ${describeValue(name)} is not the name of an entity`,
    ]),
    [{ timezone: 'Lisbon' }, "timezone: 'Lisbon' is not a time zone, such as 'Europe/Lisbon'"],
    ...['BST', 'IST', 'PST', 'GMT+3', 'UTC+3', '+01:00', '', 'Factory', 'SystemV/PST8', 'Etc/Unknown'].map(
      (timezone): [object, string] => [{ timezone }, `timezone: '${timezone}' is not a time zone`],
    ),
    ...['Europe/Lisbon', 'US/Pacific', 'Europe/Kyiv', 'Europe/Kiev', 'UTC', 'EST5EDT', 'GB'].map(
      (timezone): [object, string] => [
        { timezone: timezone.toLowerCase() },
        `timezone: '${timezone.toLowerCase()}' must be written '${timezone}'`,
      ],
    ),
    [{ timezone: 'America/New York' }, "timezone: 'America/New York' must be written 'America/New_York'"],
    [{ pageSize: 0 }, 'pageSize: 0 is not a whole number from 1 to 1000'],
    [{ pageSize: 1001 }, 'pageSize: 1001 is not a whole number from 1 to 1000'],
    [{ idField: ' ' }, "idField: ' ' is not the name of a field"],
    [{ keepSnapshots: 0 }, 'keepSnapshots: 0 is not a whole number from 1 to 1000'],
    [{ keepSnapshots: { last: 7 } }, 'keepSnapshots.daily: is missing'],
    [{ keepSnapshots: { dayly: 7, daily: 1 } }, 'keepSnapshots.dayly: unknown key'],
    [{ keepSnapshots: [7] }, 'keepSnapshots: a list is not an object'],
    [{ maxShrinkPercent: 101 }, 'maxShrinkPercent: 101 is not a number from 0 to 100'],
    [{ totalTolerancePercent: -1 }, 'totalTolerancePercent: -1 is not a number from 0 to 100'],
    [{ totals: 'none' }, "totals: 'none' is not 'check' or 'ignore'"],
    [
      { totals: 'ignore', partitions: { by: 'createdIn', count: 2 } },
      "totals: cannot be 'ignore' with partitions, which need totals; remove one of the two",
    ],
    [{ allowEmpty: 'no' }, "allowEmpty: 'no' is not true or false"],
    [{ enabled: 1 }, 'enabled: 1 is not true or false'],
    [
      { query: { _fields: 'city,country' } },
      "query._fields: does not contain the idField 'id'; add 'id' or use '_all'",
    ],
    [
      { idField: 'userId', query: { _fields: ['id', 'city'] } },
      "query._fields: does not contain the idField 'userId'; add 'userId' or use '_all'",
    ],
    [
      { partitions: { by: 'createdIn', count: 4 }, query: { _fields: 'id,city' } },
      "query._fields: does not contain 'createdIn', which partitions need; add 'createdIn' or use '_all'",
    ],
    [
      { partitions: { by: 'createdIn' } },
      'partitions.count: is missing; it must be a whole number from 2 to 10',
    ],
    [
      { partitions: { by: 'createdIn', count: 11 } },
      'partitions.count: 11 is not a whole number from 2 to 10',
    ],
    [
      { partitions: { by: 'created in', count: 2 } },
      "partitions.by: 'created in' is not the name of a date field, such as 'createdIn'",
    ],
    [
      { partitions: { by: 'updatedIn', count: 2 } },
      "partitions.by: 'updatedIn' changes with every update; use a field that never changes, such as 'createdIn'",
    ],
    [
      { partitions: { by: 'lastInteractionIn', count: 2 } },
      "partitions.by: 'lastInteractionIn' changes with every update",
    ],
    [{ partitions: false }, 'partitions: false is not an object with by, count'],
    [{ changes: true }, 'changes: true is not an object with ignore, maxDeletePercent, keepDays'],
    [{ changes: { maxDeletePercent: 101 } }, 'changes.maxDeletePercent: 101 is not a number from 0 to 100'],
    [{ changes: { keepDays: 0 } }, 'changes.keepDays: 0 is not a whole number from 1 to 365'],
    [{ changes: { ignore: 'updatedIn' } }, "changes.ignore: 'updatedIn' is not a list of field names"],
    [{ changes: { keepdays: 5 } }, "changes.keepdays: unknown key. Did you mean 'keepDays'?"],
    [{ query: '_fields=id' }, "query: '_fields=id' is not an object of query parameters"],
    [{ query: { _size: 10 } }, 'query._size: is set by the sync; use pageSize instead'],
    [{ query: { _token: 'x' } }, 'query._token: is set by the sync; remove it'],
    [{ query: { 'a b': {} } }, "query['a b']: an object is not a string, a number, true or false"],
    [{ query: { a: ['x', null] } }, 'query.a[1]: null is not a string, a number, true or false'],
    [{ query: { a: [] } }, 'query.a: is an empty list, which sends nothing; remove it'],
    [{ query: { '': 'x' } }, "query['']: is not the name of a parameter"],
  ])

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
