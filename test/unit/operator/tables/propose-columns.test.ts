import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnsProposal } from '../../../../cli/tables/proposal.ts'
import { TableFile } from '../../../../functions/tables/parquet/table-file.ts'
import { resolveConfig } from '../../../../lib/config.ts'
import { proposeColumns } from '../../../../operator/tables/propose-columns.ts'
import { mergeReports, SchemaReportBuilder } from '../../../../stored/schema-report/schema-report.ts'
import { runsToTry } from '../../../case-count.ts'

const runId = '20260301T060000000Z-0123456789ab'

function reportOf(documents: readonly string[]) {
  const builder = new SchemaReportBuilder()
  for (const document of documents) builder.add(Buffer.from(document))
  return mergeReports([builder.finish()], { entity: 'CL', runId })
}

const typesOf = (...documents: string[]) =>
  Object.fromEntries(proposeColumns(reportOf(documents), 'id').map(({ name, type }) => [name, type]))

/** The block as a user pastes it. */
function pasted(documents: readonly string[]) {
  const report = reportOf(documents)
  const text = columnsProposal(report, proposeColumns(report, 'id'))
  const columns: unknown = runInNewContext(`({\n${text}\n}).columns`)
  return resolveConfig({
    upstream: { baseUrl: 'https://shop.example.com' },
    entities: [{ name: 'CL', schedule: 'rate(1 day)', columns }],
  }).entities[0]?.columns
}

describe('the proposed type of a column', () => {
  it.each([
    [['{"a":"x"}', '{"a":null}'], 'string'],
    [['{"a":true}'], 'boolean'],
    [['{"a":999999999999999999}', '{"a":-5}'], 'long'],
    [['{"a":1234567890123456789}'], 'decimal(19,0)'],
    [[`{"a":${'9'.repeat(39)}}`], 'string'],
    [['{"a":10.25}', '{"a":7}'], 'decimal(18,2)'],
    [['{"a":10.5}', '{"a":7}'], 'decimal(18,2)'],
    [['{"a":1e3}'], 'decimal(18,2)'],
    [['{"a":10.2555}'], 'decimal(18,4)'],
    [[`{"a":${'9'.repeat(37)}.5}`], 'double'],
    [['{"a":0.12345678901}'], 'double'],
    [['{"a":"2026-03-01T06:00:00Z"}', '{"a":"2026-03-01T06:00:00.1234567+02:00"}'], 'timestamp'],
    [['{"a":"2026-03-01T06:00:00Z"}', '{"a":"soon"}'], 'string'],
    [['{"a":"x"}', '{"a":7}', '{"a":false}'], 'string'],
    [['{"a":[1]}'], 'json'],
    [['{"a":"x"}', '{"a":{}}'], 'json'],
    [['{"a":null}'], 'string'],
  ])('of %j is %s', (documents, type) => expect(typesOf(...documents)['a']).toBe(type))

  it.each([
    ['price', 'decimal(18,2)'],
    ['orderTotal', 'decimal(18,2)'],
    ['priceWithTax', 'decimal(18,2)'],
    ['shipping_cost', 'decimal(18,2)'],
    ['quantity', 'long'],
    ['totalItems', 'long'],
  ])('of whole numbers in %s is %s: amounts of tomorrow may have cents', (name, type) => {
    expect(typesOf(`{"${name}":7}`)[name]).toBe(type)
    expect(typesOf(`{"${name}":${'9'.repeat(38)}}`)[name]).toBe('decimal(38,0)')
  })

  it('of an object are those of its members, and of a map json', () => {
    const map = JSON.stringify({ m: Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`k${n}`, n])) })
    expect(typesOf('{"address":{"city":"x","geo":{"lat":1}},"empty":{}}', map)).toEqual({
      address_city: 'string',
      address_geo_lat: 'long',
      empty: 'json',
      m: 'json',
    })
  })
})

it.each([
  [['{"updatedIn":null,"createdIn":"2026-03-01T06:00:00Z"}'], 'timestamp'],
  [['{"updatedIn":null,"createdIn":"2026-03-01T06:00:00Z","bornIn":"2026-03-01"}'], 'timestamp'],
  [['{"updatedIn":null}', '{"b":{"created_in":"2026-03-01"}}'], 'date'],
  [['{"updatedIn":null,"createdIn":"2026-03-01","livesIn":"Porto"}'], 'string'],
  [['{"updatedIn":null,"deletedIn":null}'], 'string'],
  [['{"updatedIn":null,"login":7}'], 'string'],
])(
  'the proposed type of a field that is always null is that of the fields whose names end with the same word: %j',
  (documents, type) => expect(typesOf(...documents)['updatedIn']).toBe(type),
)

const columnsOf = (documents: readonly string[], idField: string) =>
  Object.fromEntries(
    proposeColumns(reportOf(documents), idField).map(({ name, from = name }) => [from, name]),
  )

it('the proposed names of fields that differ only in case leave the plain one to the id field, and else to the most frequent one', () => {
  const documents = ['{"ID":1,"id":2,"Note":"a"}', '{"ID":3,"note":"b"}', '{"ID":4,"note":"c"}']
  expect(columnsOf(documents, 'id')).toEqual({ id: 'id', ID: 'id_2', note: 'note', Note: 'note_2' })
  expect(columnsOf(documents, 'code')).toEqual({ ID: 'ID', id: 'id_2', note: 'note', Note: 'note_2' })
})

describe('the proposed block', () => {
  it('has each field of documents with more than 200 of them', () => {
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, at])))
    expect(pasted([wide])).toHaveLength(300)
  })

  it.each([
    [[], '0 documents', 'there are no documents'],
    [['{}'], '1 document', 'the documents have no field whose name can be a path of the configuration'],
  ])('is missing with the reason if no column can be proposed: %j', (documents, count, reason) => {
    expect(columnsProposal(reportOf(documents), [])).toBe(
      `// CL: ${count} in the snapshot of run ${runId}\n// No columns can be proposed: ${reason}.`,
    )
  })

  it('names the share of documents, the types and what looks like personal data', () => {
    const report = reportOf([
      '{"id":"a","email":"a@example.com","address":{"zip.code":"1"}}',
      '{"id":"b","email":null,"total":1.5}',
      '{"id":"c","phone":351912345678}',
    ])
    expect(columnsProposal(report, proposeColumns(report, 'id')).split('\n')).toEqual([
      `// CL: 3 documents in the snapshot of run ${runId}`,
      'columns: {',
      "  address_zip_code: { from: 'address.zip\\\\.code', type: 'string' }, // 33.3% of documents; string",
      "  // Looks like personal data. To store a pseudonym instead: address_zip_code: { from: 'address.zip\\\\.code', type: 'string', hash: 'sha256' },",
      "  email: 'string', // 66.7% of documents; string, null",
      "  // Looks like personal data. To store a pseudonym instead: email: { from: 'email', type: 'string', hash: 'sha256' },",
      "  id: 'string', // all documents; string",
      "  phone: 'long', // 33.3% of documents; integer",
      "  // Looks like personal data. To store a pseudonym instead: phone: { from: 'phone', type: 'string', hash: 'sha256' },",
      "  total: 'decimal(18,2)', // 33.3% of documents; decimal (1 place)",
      '},',
    ])
  })

  it('names the number of documents with half of a surrogate pair', () => {
    const report = reportOf([String.raw`{"id":"a","note":"\ud83d"}`, '{"id":"b"}'])
    expect(columnsProposal(report, proposeColumns(report, 'id')).split('\n')[1]).toBe(
      '// Half of a surrogate pair is in 1 document. A string column rejects it; docs/reading-snapshots.md shows how to read them.',
    )
  })

  it.each([
    ...[
      ...'email clientEmail homePhone telephone whatsapp document documentNumber'.split(' '),
      ...'corporateDocument cpf taxId national_id name firstName customer_name receiverName'.split(' '),
      ...'birthDate address addressLine1 street postalCode neighborhood'.split(' '),
    ].map((name) => [name, true] as const),
    ...'city modelName documentType addressType number postalCarrier categoryName telemetry'
      .split(' ')
      .map((name) => [name, false] as const),
  ])('marks %s: %s', (name, isPersonal) => {
    expect(proposeColumns(reportOf([JSON.stringify({ [name]: 'x' })]), 'id')).toMatchObject([{ isPersonal }])
  })

  it('marks the house number of an address', () => {
    const report = reportOf(['{"address":{"number":7,"city":"Porto"}}'])
    expect(proposeColumns(report, 'id')).toMatchObject([{ isPersonal: false }, { isPersonal: true }])
  })

  it('can be pasted whatever the members are named, and rejects no value', () => {
    const name = fc.oneof(
      fc.constantFrom(
        'a',
        'A',
        'a_b',
        'aB',
        'a.b',
        '*',
        "it's",
        '"',
        '9',
        'é',
        'createdIn',
        'created_in',
        '…',
      ),
      // In a path of the contract, a backslash at the end of a name reads like an escaped dot.
      fc.string({ maxLength: 4 }).filter((text) => !text.endsWith('\\')),
    )
    const value = fc.oneof(
      fc.constantFrom('2026-03-01T06:00:00Z', '2026-03-01', 1.5, 1e20, -7, true, null, 'x', 1e-9, 0.1),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.maxSafeInteger(),
    )
    const nested = fc.dictionary(name, fc.oneof(value, fc.array(value), fc.dictionary(name, value)))
    fc.assert(
      fc.property(fc.array(nested, { minLength: 1, maxLength: 5 }), (objects) => {
        const documents = objects.map((object) => JSON.stringify(object))
        fc.pre(proposeColumns(reportOf(documents), 'id').length > 0)
        const columns = pasted(documents) ?? []
        const file = new TableFile(columns.map((column, index) => ({ ...column, fieldId: index + 1 })))
        for (const document of documents) file.add(Buffer.from(document))
        expect(file.finish().rejected).toEqual({})
      }),
      { numRuns: runsToTry(300) },
    )
  })
})
