import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { entryBytes, idHashBytes } from '../../../functions/publisher/check/entries.ts'
import { readLines } from '../../../functions/publisher/check/stored-lines.ts'
import { fingerprintBytes } from '../../../stored/documents/fingerprint.ts'
import { DocumentScanner } from '../../../stored/documents/json-scanner.ts'
import { splitPageInPlace } from '../../../stored/documents/split.ts'
import { readIds } from '../../../stored/documents/stored-ids.ts'
import { PageLines } from '../../../stored/documents/stored-lines.ts'

const digits = fc.string({ unit: fc.constantFrom(...'0123456789'.split('')), minLength: 1, maxLength: 25 })
const whole = fc.oneof(
  fc.constant('0'),
  digits.map((text) => `7${text}`),
)
const fraction = fc.oneof(
  fc.constant(''),
  digits.map((text) => `.${text}`),
)
const exponent = fc.oneof(
  fc.constant(''),
  fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-'), digits).map((parts) => parts.join('')),
)
/** Numbers in any notation. */
const number = fc.tuple(fc.constantFrom('', '-'), whole, fraction, exponent).map((parts) => parts.join(''))

const character = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).map((text) => JSON.stringify(text).slice(1, -1)),
  fc.nat(0xffff).map((code) => `\\u${code.toString(16).padStart(4, '0')}`),
  fc.constantFrom('\\/', '\\"', '\\\\', '\\n', '\\u0069d', '{', '}', 'é', '\u2028'),
)
const text = fc.array(character, { maxLength: 8 }).map((parts) => `"${parts.join('')}"`)
const scalar = fc.oneof(number, text, fc.constantFrom('true', 'false', 'null'))
const name = fc.constantFrom(
  '"id"',
  '"\\u0069d"',
  '"i\\u0064"',
  '"ID"',
  '"a"',
  '"\\"id"',
  '""',
  '"__proto__"',
)
const space = fc.constantFrom('', ' ', '\t', '\n', '\r\n ')

const { value } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    scalar,
    tie('object'),
    fc.array(tie('value'), { maxLength: 2 }).map((values) => `[${values.join()}]`),
  ),
  object: members(tie('value')),
}))

function members(values: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const member = fc
    .tuple(space, name, space, values, space)
    .map(([before, key, between, one, after]) => `${before}${key}${between}:${between}${one}${after}`)
  return fc.array(member, { maxLength: 4 }).map((all) => `{${all.join()}}`)
}

/** The id of each document, which all readers find: of a page and of stored lines, of the worker and of the publisher. */
function idsOf(documents: readonly string[], idField = 'id') {
  const original = Buffer.from(`[${documents.join()}]`)
  const field = Buffer.from(idField)
  const scanner = new DocumentScanner(original, field)
  const ids: (string | undefined)[] = []
  while (scanner.next()) ids.push(scanner.identity())
  const { lines, fingerprints, documentsWithoutId } = splitPageInPlace(original, idField)
  const texts = lines.toString().split('\n')
  const identities = ids.map((id, index) => id ?? texts[index] ?? '')
  const read = new PageLines(Buffer.from(lines), field)
  for (const identity of identities) {
    read.next()
    expect(String(read.identity())).toBe(identity)
  }
  const hashes = identities.map((text) => hash('sha256', text))
  const bitsOf = (bytes: number) => hashes.map((text) => text.slice(0, 2 * bytes)).join('')
  expect(Buffer.from(fingerprints).toString('hex')).toBe(bitsOf(fingerprintBytes))
  expect(documentsWithoutId).toBe(ids.filter((id) => id === undefined).length)
  const stored = gzipSync(lines)
  expect(readIds(stored, idField)).toEqual({ fingerprints: Buffer.from(fingerprints), documentsWithoutId })
  const { entries, withoutId } = readLines(stored, idField)
  const starts = hashes.map((_, at) => entries.subarray(at * entryBytes, at * entryBytes + idHashBytes))
  expect(Buffer.concat(starts).toString('hex')).toBe(bitsOf(idHashBytes))
  expect(withoutId).toBe(documentsWithoutId)
  return ids
}

it.each([
  ['{"id":"a","b":"cd"}', '"a"'],
  ['{"id":""}', '""'],
  ['{"id":-1.50}', '-1.50'],
  ['{"id":100}', '100'],
  ['{"id":1E+2}', '1E+2'],
  ['{"id":12345678901234567890}', '12345678901234567890'],
  ['{"id":false,"n":1}', 'false'],
  ['{"id":true,"b":[1,{"id":2}],"c":{"id":3}}', 'true'],
  ['{"id":"null"}', '"null"'],
  ['{"id":"\\u0061\\/"}', '"a/"'],
  ['{ "id" : 7 , "x" : 1 }', '7'],
  ['{"i":1,"idx":2,"xid":3,"ix":4,"":5,"ID":6}', undefined],
  ['{"idx":1,"i":2,"id":3}', '3'],
  ['{"id":4,"i":1,"idx":2,"xd":3,"\\u0061":5}', '4'],
  ['{"":0,"xd":1,"id2":2,"id":"5\\\\"}', '"5\\\\"'],
  ['{"\\u0069d":1}', '1'],
  ['{"i\\u0064":1}', '1'],
  ['{"i\\u0065":1}', undefined],
  ['{"id\\u0064":1}', undefined],
  ['{"id":1,"id":2.50}', '2.50'],
  ['{"id":"a","i\\u0064":"b"}', '"b"'],
  ['{"id":"a","x":"\\n","id":"b"}', '"b"'],
  ['{"id":1,"id":null}', undefined],
  ['{"id":1,"id":{"id":2}}', undefined],
  ['{"id":1,"id":[2,3]}', undefined],
  ['{"id":{"$oid":"1"}}', undefined],
  ['{"id":[1]}', undefined],
  ['{"a":{"id":1}}', undefined],
  ['{"a":{"id":5},"id":6,"b":[{"id":7}]}', '6'],
  ['{"x":"\\"id\\":1}","id":true}', 'true'],
  ['{"x":["]}"],"y":{"z":{"]":[[],{}]}},"id":4}', '4'],
  ['{}', undefined],
])('the document %s has the id %s for every reader', (document, id) => {
  expect(idsOf(['{"id":"before"}', document])).toEqual(['"before"', id])
})

it.each(['id', '__proto__', ''])('a document has the same id for every reader: in %j', (idField) => {
  fc.assert(
    fc.property(fc.array(members(value), { minLength: 1, maxLength: 4 }), (documents) => {
      expect(idsOf(documents, idField)).toHaveLength(documents.length)
    }),
    { numRuns: 500 },
  )
})
