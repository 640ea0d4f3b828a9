import { expect, it } from 'vitest'
import { csvHeader, csvRow } from '../../../operator/snapshot/csv.ts'
import { readFields } from '../../../stored/documents/fields.ts'

const row = (document: string, columns = ['a']) => csvRow(columns, readFields(Buffer.from(document)), 'csv')

it.each([
  ['keeps the digits of a long number', '{"a":12345678901234567890.10}', '12345678901234567890.10'],
  ['keeps an exponent', '{"a":1E+2}', '1E+2'],
  ['keeps the digits of a nested number', '{"a":{"b":[1.50,2e1]}}', '"{""b"":[1.50,2e1]}"'],
  ['writes plain text as it is', '{"a":"plain"}', 'plain'],
  ['quotes a comma', '{"a":"x,y"}', '"x,y"'],
  ['doubles a quote', '{"a":"a \\"b\\""}', '"a ""b"""'],
  ['quotes line breaks', '{"a":"x\\r\\ny"}', '"x\r\ny"'],
  ['does not escape a formula', '{"a":"=1+1"}', '=1+1'],
  ['keeps the white space of a nested value', '{ "a" : [ 1, {} ] }', '"[ 1, {} ]"'],
  ['finds the end of a nested value despite brackets in strings', '{"a":["]}\\""],"b":1}', '"[""]}\\""""]"'],
  ['decodes the escapes of a string', '{"a":"\\u00e9\\t"}', 'é\t'],
  ['decodes the escapes of a field name', '{"\\u0061":1}', '1'],
  ['uses the last value of a repeated field', '{"a":1,"a":2}', '2'],
  ['writes booleans as words', '{"a":true}', 'true'],
  ['writes an empty string as two quotes', '{"a":""}', '""'],
  ['writes a record of one null field as two quotes, so that its line is not empty', '{"a":null}', '""'],
])('%s', (_, document, cell) => expect(row(document)).toBe(`${cell}\r\n`))

it('writes null and missing fields as empty cells, in the order of the columns', () => {
  expect(csvHeader(['b', 'a', 'x,y', 'toString'], 'csv')).toBe('b,a,"x,y",toString\r\n')
  expect(row('{"a":null,"b":2}', ['b', 'a', 'x,y', 'toString'])).toBe('2,,,\r\n')
  expect(row('{"a":"","b":2}', ['b', 'a'])).toBe('2,""\r\n')
})

const spreadsheetRow = (document: string) => csvRow(['a'], readFields(Buffer.from(document)), 'spreadsheet')

it.each([
  ['plain text', 'plain', '"plain"'],
  ['a formula', '=1+1', `"'=1+1"`],
  ['a formula that begins with +', '+1+1', `"'+1+1"`],
  ['a formula that begins with -', '-1+1', `"'-1+1"`],
  ['a formula that begins with @', '@SUM(A1)', `"'@SUM(A1)"`],
  ['a tab before a formula', '\t=1', `"'\t=1"`],
  ['a line break before a formula', '\r\n=1', `"'\r\n=1"`],
  ['a formula of full-width characters', '\uFF1D1', `"'\uFF1D1"`],
  ['a formula of small forms', '\uFE661', `"'\uFE661"`],
  ['spaces before a formula', ' \u00a0=1', `"' \u00a0=1"`],
  ['characters without a width before a formula', '\ufeff\u200b@SUM(1)', `"'\ufeff\u200b@SUM(1)"`],
  ['a formula in quotes', '"=1+1"', '"""=1+1"""'],
  ['a formula after an apostrophe', "'=1+1", `"'=1+1"`],
  ['a formula after a separator of another country', 'a;=1', '"a;=1"'],
  ['a quote', 'a"b', '"a""b"'],
])('writes %s for a spreadsheet as text', (_, text, cell) => {
  expect(spreadsheetRow(JSON.stringify({ a: text }))).toBe(`${cell}\r\n`)
  expect(csvHeader([text], 'spreadsheet')).toBe(`${cell}\r\n`)
})

it.each([
  ['a negative number', '-5', '-5'],
  ['an object', '{"b":"=1"}', '"{""b"":""=1""}"'],
  ['null', 'null', '""'],
  ['an empty text', '""', '""'],
])('writes %s for a spreadsheet as in csv', (_, json, cell) => {
  expect(spreadsheetRow(`{"a":${json}}`)).toBe(`${cell}\r\n`)
})

it('writes a document that is nested 100,000 levels deep', () => {
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  expect(row(`{"a":${nested}}`)).toBe(`${nested}\r\n`)
})

it('keeps the fields in the order of the document, also if their names are numbers', () => {
  expect([...readFields(Buffer.from('{"b":1,"2":2,"1":3,"a":4}')).keys()]).toEqual(['b', '2', '1', 'a'])
  expect([...readFields(Buffer.from('{}')).keys()]).toEqual([])
})
