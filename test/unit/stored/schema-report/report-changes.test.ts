import { describe, expect, it } from 'vitest'
import { changesBetween, typesOf } from '../../../../stored/schema-report/report-changes.ts'
import {
  mergeReports,
  type SchemaReport,
  SchemaReportBuilder,
} from '../../../../stored/schema-report/schema-report.ts'

/** A document whose member `m` has so many members that it is a map. */
const withMap = (value: string) =>
  `{"m":{${Array.from({ length: 201 }, (_, at) => `"k${at}":${value}`).join(',')}}}`

/** The report of this many documents of each kind, every third of them in a part of its own. */
function reportOf(...documents: readonly (readonly [count: number, document: string])[]): SchemaReport {
  const builders = [0, 1, 2].map(() => new SchemaReportBuilder())
  for (const [count, document] of documents)
    for (let each = 0; each < count; each++) builders[each % 3]?.add(Buffer.from(document))
  return mergeReports(
    builders.map((builder) => builder.finish()),
    { entity: 'CL', runId: 'r' },
  )
}

describe('the fields of two snapshots', () => {
  it.each([
    ['the same', [[20, '{"a":1}']], [[30, '{"a":2}']], undefined],
    [
      'a field that ten documents have',
      [[20, '{}']],
      [
        [10, '{"a":{"b":1}}'],
        [5, '{}'],
      ],
      { added: ['a', 'a.b'] },
    ],
    [
      'a field that nine documents have',
      [[20, '{}']],
      [
        [9, '{"a":1}'],
        [11, '{}'],
      ],
      undefined,
    ],
    ['a field that is gone altogether', [[20, '{"a":1}']], [[20, '{}']], { removed: ['a'] }],
    [
      'a field that one document still has',
      [[20, '{"a":1}']],
      [
        [1, '{"a":1}'],
        [19, '{}'],
      ],
      undefined,
    ],
    [
      'another type',
      [[20, '{"a":1}']],
      [
        [10, '{"a":1}'],
        [10, '{"a":"x"}'],
      ],
      { retyped: ['a'] },
    ],
    [
      'a type that is gone',
      [
        [10, '{"a":1}'],
        [10, '{"a":"x"}'],
      ],
      [[20, '{"a":1}']],
      { retyped: ['a'] },
    ],
    [
      'another type in nine documents',
      [[20, '{"a":1}']],
      [
        [11, '{"a":1}'],
        [9, '{"a":"x"}'],
      ],
      undefined,
    ],
    [
      'null, which is no type',
      [[20, '{"a":1}']],
      [
        [20, '{"a":null}'],
        [1, '{"a":1}'],
      ],
      undefined,
    ],
    [
      'the first values of a field that was null everywhere',
      [[20, '{"a":null}']],
      [[20, '{"a":1}']],
      undefined,
    ],
    ['a field that is null everywhere now', [[20, '{"a":1}']], [[20, '{"a":null}']], { retyped: ['a'] }],
    ['a map that nine documents have', [[20, '{}']], [[9, withMap('{"a":1}')]], undefined],
    [
      'a map that ten documents have',
      [[20, '{}']],
      [[10, withMap('{"a":1}')]],
      { added: ['m', 'm.*', 'm.*.a'] },
    ],
    [
      'another type of the members of nine maps',
      [
        [9, withMap('1')],
        [20, '{}'],
      ],
      [
        [9, withMap('"x"')],
        [20, '{}'],
      ],
      undefined,
    ],
    [
      'another type of most members of nine maps, in as many documents with maps as before',
      [[20, withMap('1')]],
      [
        [9, withMap('"x"')],
        [11, withMap('1')],
      ],
      undefined,
    ],
    [
      'another type of most members of ten maps',
      [[20, withMap('1')]],
      [
        [10, withMap('"x"')],
        [10, withMap('1')],
      ],
      { retyped: ['m.*'] },
    ],
    [
      'a field of most members of nine maps',
      [[20, withMap('{}')]],
      [
        [9, withMap('{"a":1}')],
        [11, withMap('{}')],
      ],
      undefined,
    ],
    [
      'a field of the members of ten maps with two types, each of which fewer have',
      [[20, withMap('{}')]],
      [
        [5, withMap('{"a":1}')],
        [5, withMap('{"a":"x"}')],
        [10, withMap('{}')],
      ],
      { added: ['m.*.a'] },
    ],
    [
      'another type of one member of ten maps',
      [[20, withMap('1')]],
      [
        [10, withMap('1').replace('"k0":1', '"k0":true')],
        [10, withMap('1')],
      ],
      { retyped: ['m.*'] },
    ],
    [
      'another type of many members of one object that is a part of a map',
      [[20, withMap('1')]],
      [
        [1, `{"m":{${Array.from({ length: 150 }, (_, at) => `"n${at}":true`).join(',')}}}`],
        [20, withMap('1')],
      ],
      undefined,
    ],
    ['no documents left', [[20, '{"a":1}']], [], { removed: ['a'] }],
  ] as const)('%s', (...row) => {
    const [, before, after, expected] = row
    const changes = changesBetween(reportOf(...before), reportOf(...after))
    expect(changes).toEqual(expected && withCounts(expected))
  })

  it.each([
    [true, true, {}],
    [true, false, { removed: ['b'] }],
    [false, true, { added: ['c'] }],
  ])('are not what a truncated report may have left out: before %j, after %j', (...row) => {
    const [wasTruncated, isTruncated, expected] = row
    const before = { ...reportOf([20, '{"a":1,"b":1}']), truncated: wasTruncated }
    const after = { ...reportOf([20, '{"a":"x","c":1}']), truncated: isTruncated }
    expect(changesBetween(before, after)).toEqual(withCounts({ ...expected, retyped: ['a'] }))
  })

  it('name at most 100 paths of each kind, and count all', () => {
    const document = (name: string, count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, 1])))
    const changes = changesBetween(reportOf([20, document('a', 150)]), reportOf([20, document('b', 101)]))
    expect([changes?.added.length, changes?.removed.length, changes?.counts]).toEqual([
      100,
      100,
      { added: 101, removed: 150, retyped: 0 },
    ])
  })

  it('fit into an event, however long the paths are, and share the space', () => {
    const report = (name: string): SchemaReport => ({
      ...reportOf([20, '{}']),
      fields: Array.from({ length: 1920 }, (_, at) => ({
        ...(reportOf([20, '{"a":1}']).fields[0] as SchemaReport['fields'][number]),
        path: `${name}${'é'.repeat(1_000)}.${at}`,
      })),
    })
    const changes = changesBetween(report('before'), report('after'))
    expect(Buffer.byteLength(JSON.stringify(changes))).toBeLessThan(100_200)
    expect([changes?.added.length, changes?.removed.length]).toEqual([25, 24])
    expect(changes?.counts).toEqual({ added: 1920, removed: 1920, retyped: 0 })
  })
})

it('names the types of a field before and after', () => {
  const before = reportOf([20, '{"a":"x","b":1}'])
  const after = reportOf([20, '{"a":1,"b":null}'], [20, '{"a":1.5}'])
  expect(typesOf(['a', 'b'], before, after)).toEqual({
    a: { before: ['string'], after: ['integer', 'decimal'] },
    b: { before: ['integer'], after: [] },
  })
})

function withCounts(changed: Partial<Record<'added' | 'removed' | 'retyped', readonly string[]>>) {
  const all = { added: [], removed: [], retyped: [], ...changed }
  const counts = { added: all.added.length, removed: all.removed.length, retyped: all.retyped.length }
  return { ...all, counts }
}
