import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ReportPart } from '../../../../stored/schema-report/report-part.ts'
import type { SchemaReport } from '../../../../stored/schema-report/schema-report.ts'
import { mergeReports, SchemaReportBuilder } from '../../../../stored/schema-report/schema-report.ts'
import { runsToTry } from '../../../case-count.ts'
import { expectedFields } from './report-oracle.ts'

function partOf(documents: readonly string[]): ReportPart {
  const builder = new SchemaReportBuilder()
  for (const document of documents) builder.add(Buffer.from(document))
  // Parts are stored as JSON.
  return JSON.parse(JSON.stringify(builder.finish())) as ReportPart
}

const merged = (parts: readonly ReportPart[]): SchemaReport =>
  mergeReports(parts, { entity: 'CL', runId: 'run' })
const reportOf = (...documents: readonly string[]) => merged([partOf(documents)])

it('a schema report counts what the documents have at each path', () => {
  const report = reportOf(
    '{"id":"1","total":12.50,"address":{"city":"Olinda","number":null},"tags":["a"]}',
    '{"id":"\\u0032","total":7,"createdIn":"2026-07-17T12:24:51.8155700Z","isActive":true}',
  )
  const none = { string: 0, integer: 0, decimal: 0, boolean: 0, object: 0, array: 0 }
  const nothing = { null: 0, timestamps: 0, maxLength: 0, maxDigits: 0, maxScale: 0 }
  expect(report).toEqual({
    version: 1,
    entity: 'CL',
    runId: 'run',
    documents: 2,
    loneSurrogates: 0,
    truncated: false,
    fields: [
      { ...nothing, path: 'address', present: 1, types: { ...none, object: 1 } },
      { ...nothing, path: 'address.city', present: 1, types: { ...none, string: 1 }, maxLength: 6 },
      { ...nothing, path: 'address.number', present: 1, null: 1, types: none },
      {
        ...nothing,
        path: 'createdIn',
        present: 1,
        types: { ...none, string: 1 },
        timestamps: 1,
        maxLength: 28,
      },
      { ...nothing, path: 'id', present: 2, types: { ...none, string: 2 }, maxLength: 6 },
      { ...nothing, path: 'isActive', present: 1, types: { ...none, boolean: 1 } },
      { ...nothing, path: 'tags', present: 1, types: { ...none, array: 1 } },
      {
        ...nothing,
        path: 'total',
        present: 2,
        types: { ...none, integer: 1, decimal: 1 },
        maxDigits: 3,
        maxScale: 1,
      },
    ],
  })
})

/** Few names, so that documents share them, and many names, so that objects are maps. */
const names = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom('a', 'b', 'c', '', '__proto__', 'constructor', 'ção', 'x.y', '*', '"'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 5 }) },
)
const scalars = fc.oneof(
  fc.constantFrom(null, true, false, '2026-01-01', '2026-01-01T00:00:00Z'),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ unit: 'binary', maxLength: 8 }).filter((text) => !/^\d{4}-/.test(text)),
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalars,
    fc.array(tie('value'), { maxLength: 2 }),
    tie('object'),
    tie('object'),
  ),
  object: fc.dictionary(names, tie('value'), { maxKeys: 4 }),
}))
const small = fc.oneof(scalars, fc.dictionary(names, scalars, { maxKeys: 2 }))
/** An object with many names, some of which differ from those of other documents. */
const map = fc
  .record({ first: fc.integer({ min: 0, max: 200 }), count: fc.integer({ min: 50, max: 150 }), value: small })
  .map(({ first, count, value }) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${first + index}`, value])),
  )
const document = fc
  .dictionary(names, fc.oneof({ weight: 6, arbitrary: value }, { weight: 1, arbitrary: map }), { maxKeys: 4 })
  .map((members) => JSON.stringify(members))

describe('the documents with half of a surrogate pair', () => {
  const half = String.raw`{"id":"1","note":"\ud83d"}`

  it('are counted wherever it is, each document once', () => {
    const report = reportOf(
      half,
      String.raw`{"\ude00":[{"a":["\ud83d","\ud83d"]}]}`,
      String.raw`{"id":"2","note":"\ud83d\ude00 \\ud83d"}`,
    )
    expect(report).toMatchObject({ documents: 3, loneSurrogates: 2 })
  })

  it('are counted in all parts, also in those of an earlier version, which lack the number', () => {
    const part = partOf([half])
    const { loneSurrogates: _, ...earlier } = part
    expect(merged([part, earlier, part])).toMatchObject({
      documents: 3,
      loneSurrogates: 2,
    })
  })
})

it('a document with more than 200 fields is no map, but an object in it is', () => {
  const object = (prefix: string) =>
    Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`${prefix}${at}`, at]))
  const { fields } = reportOf(JSON.stringify({ ...object('f'), inner: object('m') }))
  expect(fields).toHaveLength(203)
  expect(fields.filter(({ path }) => path.includes('*')).map(({ path }) => path)).toEqual(['inner.*'])
})

it('a report merged from parts is what every value together gives, however the documents are divided', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(document, { maxLength: 4 }), { maxLength: 5 }),
      fc.nat(),
      (chunks, rotation) => {
        const parts = chunks.map(partOf)
        const order = parts.map((_, index) => parts[(index + rotation) % parts.length] as ReportPart)
        const all = chunks.flat()
        expect(merged(order)).toEqual(merged([partOf(all)]))
        expect(merged(order).fields).toEqual(expectedFields(all))
      },
    ),
    { numRuns: runsToTry(100) },
  )
})
