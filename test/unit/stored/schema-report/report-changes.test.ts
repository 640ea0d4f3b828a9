import { describe, expect, it } from 'vitest'
import { changesBetween, typesOf } from '../../../../stored/schema-report/report-changes.ts'
import type { SchemaReport } from '../../../../stored/schema-report/schema-report.ts'
import { mergeReports, SchemaReportBuilder } from '../../../../stored/schema-report/schema-report.ts'

/** A document whose member `m` has so many members that it is a map. */
const withMap = (value: string) =>
  `{"m":{${Array.from({ length: 201 }, (_, at) => `"k${at}":${value}`).join(',')}}}`

type Counted = Readonly<Record<string, number>>
type Changed = Partial<Record<'added' | 'removed' | 'retyped', readonly string[]>>

/** The report of as many of each document, every third of them in a part of its own. */
function reportOf(documents: Counted): SchemaReport {
  const builders = [0, 1, 2].map(() => new SchemaReportBuilder())
  for (const [document, count] of Object.entries(documents))
    for (let each = 0; each < count; each++) builders[each % 3]?.add(Buffer.from(document))
  return mergeReports(
    builders.map((builder) => builder.finish()),
    { entity: 'CL', runId: 'r' },
  )
}

describe('the fields of two snapshots', () => {
  it.each<[string, Counted, Counted, Changed | undefined]>([
    ['the same', { '{"a":1}': 20 }, { '{"a":2}': 30 }, undefined],
    [
      'a field that ten documents have',
      { '{}': 20 },
      { '{"a":{"b":1}}': 10, '{}': 5 },
      { added: ['a', 'a.b'] },
    ],
    ['a field that nine documents have', { '{}': 20 }, { '{"a":1}': 9, '{}': 11 }, undefined],
    ['a field that is gone altogether', { '{"a":1}': 20 }, { '{}': 20 }, { removed: ['a'] }],
    ['a field that one document still has', { '{"a":1}': 20 }, { '{"a":1}': 1, '{}': 19 }, undefined],
    ['another type', { '{"a":1}': 20 }, { '{"a":1}': 10, '{"a":"x"}': 10 }, { retyped: ['a'] }],
    ['a type that is gone', { '{"a":1}': 10, '{"a":"x"}': 10 }, { '{"a":1}': 20 }, { retyped: ['a'] }],
    ['another type in nine documents', { '{"a":1}': 20 }, { '{"a":1}': 11, '{"a":"x"}': 9 }, undefined],
    ['null, which is no type', { '{"a":1}': 20 }, { '{"a":null}': 20, '{"a":1}': 1 }, undefined],
    [
      'the first values of a field that was null everywhere',
      { '{"a":null}': 20 },
      { '{"a":1}': 20 },
      undefined,
    ],
    ['a field that is null everywhere now', { '{"a":1}': 20 }, { '{"a":null}': 20 }, { retyped: ['a'] }],
    ['a map that nine documents have', { '{}': 20 }, { [withMap('{"a":1}')]: 9 }, undefined],
    [
      'a map that ten documents have',
      { '{}': 20 },
      { [withMap('{"a":1}')]: 10 },
      { added: ['m', 'm.*', 'm.*.a'] },
    ],
    [
      'another type of the members of nine maps',
      { [withMap('1')]: 9, '{}': 20 },
      { [withMap('"x"')]: 9, '{}': 20 },
      undefined,
    ],
    [
      'another type of most members of nine maps, in as many documents with maps as before',
      { [withMap('1')]: 20 },
      { [withMap('"x"')]: 9, [withMap('1')]: 11 },
      undefined,
    ],
    [
      'another type of most members of ten maps',
      { [withMap('1')]: 20 },
      { [withMap('"x"')]: 10, [withMap('1')]: 10 },
      { retyped: ['m.*'] },
    ],
    [
      'a field of most members of nine maps',
      { [withMap('{}')]: 20 },
      { [withMap('{"a":1}')]: 9, [withMap('{}')]: 11 },
      undefined,
    ],
    [
      'a field of the members of ten maps with two types, each of which fewer have',
      { [withMap('{}')]: 20 },
      { [withMap('{"a":1}')]: 5, [withMap('{"a":"x"}')]: 5, [withMap('{}')]: 10 },
      { added: ['m.*.a'] },
    ],
    [
      'another type of one member of ten maps',
      { [withMap('1')]: 20 },
      { [withMap('1').replace('"k0":1', '"k0":true')]: 10, [withMap('1')]: 10 },
      { retyped: ['m.*'] },
    ],
    [
      'another type of many members of one object that is a part of a map',
      { [withMap('1')]: 20 },
      {
        [`{"m":{${Array.from({ length: 150 }, (_, at) => `"n${at}":true`).join(',')}}}`]: 1,
        [withMap('1')]: 20,
      },
      undefined,
    ],
    ['no documents left', { '{"a":1}': 20 }, {}, { removed: ['a'] }],
  ])('%s', (...row) => {
    const [, before, after, expected] = row
    expect(changesBetween(reportOf(before), reportOf(after))).toEqual(expected && withCounts(expected))
  })

  it.each([
    [true, true, {}],
    [true, false, { removed: ['b'] }],
    [false, true, { added: ['c'] }],
  ])('are not what a truncated report may have left out: before %j, after %j', (...row) => {
    const [wasTruncated, isTruncated, expected] = row
    const before = { ...reportOf({ '{"a":1,"b":1}': 20 }), truncated: wasTruncated }
    const after = { ...reportOf({ '{"a":"x","c":1}': 20 }), truncated: isTruncated }
    expect(changesBetween(before, after)).toEqual(withCounts({ ...expected, retyped: ['a'] }))
  })

  it('name at most 100 paths of each kind, and count all', () => {
    const document = (name: string, count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, 1])))
    const changes = changesBetween(
      reportOf({ [document('a', 150)]: 20 }),
      reportOf({ [document('b', 101)]: 20 }),
    )
    expect([changes?.added.length, changes?.removed.length, changes?.counts]).toEqual([
      100,
      100,
      { added: 101, removed: 150, retyped: 0 },
    ])
  })

  it('fit into an event, however long the paths are, and share the space', () => {
    const report = (name: string): SchemaReport => ({
      ...reportOf({ '{}': 20 }),
      fields: Array.from({ length: 1920 }, (_, at) => ({
        ...(reportOf({ '{"a":1}': 20 }).fields[0] as SchemaReport['fields'][number]),
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
  const before = reportOf({ '{"a":"x","b":1}': 20 })
  const after = reportOf({ '{"a":1,"b":null}': 20, '{"a":1.5}': 20 })
  expect(typesOf(['a', 'b'], before, after)).toEqual({
    a: { before: ['string'], after: ['integer', 'decimal'] },
    b: { before: ['integer'], after: [] },
  })
})

function withCounts(changed: Changed) {
  const all = { added: [], removed: [], retyped: [], ...changed }
  const counts = { added: all.added.length, removed: all.removed.length, retyped: all.retyped.length }
  return { ...all, counts }
}
