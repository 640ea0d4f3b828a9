import { expect, it } from 'vitest'
import { csvHeader, csvRow, readFields } from '../../../cli/snapshot/csv.ts'

const row = (document: string, columns = ['a']) => csvRow(columns, readFields(document))

it.each([
  ['a long number keeps its digits', '{"a":12345678901234567890.10}', '12345678901234567890.10'],
  ['an exponent stays as it was', '{"a":1E+2}', '1E+2'],
  ['a nested number keeps its digits too', '{"a":{"b":[1.50,2e1]}}', '"{""b"":[1.50,2e1]}"'],
  ['a text', '{"a":"plain"}', 'plain'],
  ['a comma', '{"a":"x,y"}', '"x,y"'],
  ['a quote', '{"a":"say \\"hi\\""}', '"say ""hi"""'],
  ['line breaks', '{"a":"x\\r\\ny"}', '"x\r\ny"'],
  ['a formula stays a text', '{"a":"=1+1"}', '=1+1'],
  ['true', '{"a":true}', 'true'],
  ['an empty text is told from nothing', '{"a":""}', '""'],
  ['null, if it is alone, is no empty line', '{"a":null}', '""'],
])('%s', (_, document, cell) => {
  expect(row(document)).toBe(`${cell}\r\n`)
})

it('null and a missing field are nothing; the columns decide the order', () => {
  expect(csvHeader(['b', 'a', 'x,y', 'toString'])).toBe('b,a,"x,y",toString\r\n')
  expect(row('{"a":null,"b":2}', ['b', 'a', 'x,y', 'toString'])).toBe('2,,,\r\n')
})
