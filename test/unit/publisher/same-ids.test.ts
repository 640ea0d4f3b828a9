import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { entryBytes } from '../../../functions/publisher/check/entries.ts'
import { readLines } from '../../../functions/publisher/check/stored-lines.ts'
import { fingerprintBytes } from '../../../stored/documents/fingerprint.ts'
import { splitPageInPlace } from '../../../stored/documents/split.ts'
import { readIds } from '../../../stored/documents/stored-ids.ts'

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

it.each(['id', '__proto__', ''])(
  'a document has the same id for the publisher as for the worker: in %j',
  (idField) => {
    fc.assert(
      fc.property(fc.array(members(value), { minLength: 1, maxLength: 4 }), (documents) => {
        const page = splitPageInPlace(Buffer.from(`[${documents.join()}]`), idField)
        const stored = gzipSync(page.lines)
        const { entries, withoutId } = readLines(stored, idField)
        const starts = documents.map((_, index) => {
          const at = index * entryBytes
          return entries.subarray(at, at + fingerprintBytes)
        })
        const { fingerprints, documentsWithoutId } = page
        expect(Buffer.concat(starts)).toEqual(Buffer.from(fingerprints))
        expect(withoutId).toBe(documentsWithoutId)
        expect(readIds(stored, idField)).toEqual({
          fingerprints: Buffer.from(fingerprints),
          documentsWithoutId,
        })
      }),
      { numRuns: 500 },
    )
  },
)
