import { expect, it } from 'vitest'
import { csvHeader, csvRow, readFields } from '../../../cli/snapshot/csv.ts'

const row = (document: string, columns = ['a']) => csvRow(columns, readFields(document))

it.each([
  ['keeps the digits of a long number', '{"a":12345678901234567890.10}', '12345678901234567890.10'],
  ['keeps an exponent', '{"a":1E+2}', '1E+2'],
  ['keeps the digits of a nested number', '{"a":{"b":[1.50,2e1]}}', '"{""b"":[1.50,2e1]}"'],
  ['writes plain text as it is', '{"a":"plain"}', 'plain'],
  ['quotes a comma', '{"a":"x,y"}', '"x,y"'],
  ['doubles a quote', '{"a":"a \\"b\\""}', '"a ""b"""'],
  ['quotes line breaks', '{"a":"x\\r\\ny"}', '"x\r\ny"'],
  ['does not escape a formula', '{"a":"=1+1"}', '=1+1'],
  ['writes booleans as words', '{"a":true}', 'true'],
  ['writes an empty string as two quotes', '{"a":""}', '""'],
  ['writes a record of one null field as two quotes, so that its line is not empty', '{"a":null}', '""'],
])('%s', (_, document, cell) => {
  expect(row(document)).toBe(`${cell}\r\n`)
})

it('writes null and missing fields as empty cells, in the order of the columns', () => {
  expect(csvHeader(['b', 'a', 'x,y', 'toString'])).toBe('b,a,"x,y",toString\r\n')
  expect(row('{"a":null,"b":2}', ['b', 'a', 'x,y', 'toString'])).toBe('2,,,\r\n')
})
