import fc from 'fast-check'
import { expect, it } from 'vitest'
import { deliveredRecord, documentsOfRecords, identify } from '../../../../stored/chain/record.ts'

const idField = Buffer.from('id')
const recordLine = (document: string) =>
  Buffer.concat(deliveredRecord(identify(Buffer.from(document), idField))).toString()

it('writes a record of an increment in Debezium’s words, with the bytes that the platform sent', () => {
  expect(recordLine('{ "a":1.0,"id" : "x" }')).toBe('{"op":"r","id":"x","after":{ "a":1.0,"id" : "x" }}')
})

it('reads the documents of records back, whatever their ids and texts contain', () => {
  const id = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.integer(),
    fc.constantFrom('","after":{', '\\', '\\"', '"'),
  )
  const document = fc.record({ text: fc.string({ unit: 'grapheme' }), id }).map((one) => JSON.stringify(one))
  fc.assert(
    fc.property(fc.array(document), (documents) => {
      const lines = Buffer.from(documents.map((one) => `${recordLine(one)}\n`).join(''))
      expect(documentsOfRecords(lines).toString()).toBe(documents.map((one) => `${one}\n`).join(''))
    }),
  )
})

it('reads the last record, although no line feed follows it', () => {
  expect(documentsOfRecords(Buffer.from(recordLine('{"id":1}'))).toString()).toBe('{"id":1}\n')
})

it('refuses a record of another kind', () => {
  expect(() => documentsOfRecords(Buffer.from('{"op":"c","id":1,"after":{"id":1}}\n'))).toThrow(
    'unknown form',
  )
})
