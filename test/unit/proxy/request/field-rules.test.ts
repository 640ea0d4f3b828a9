import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FieldSchema } from '../../../../functions/platform/patch-schemas.ts'
import { subscriptionGroupPatch, subscriptionPatch } from '../../../../functions/platform/patch-schemas.ts'
import { fieldErrors, maxErrors } from '../../../../functions/proxy/request/field-rules.ts'
import { runsToTry } from '../../../case-count.ts'
import { validatorFor } from '../../openapi/described.ts'

const group = (value: unknown) => fieldErrors(value, subscriptionGroupPatch)
const single = (value: unknown) => fieldErrors(value, subscriptionPatch)

/** Every field that the interface names, with a correct value and what the error expects. */
const fields: readonly (readonly [path: string, right: unknown, expected: string])[] = [
  ...['id', 'name', 'productName', 'imageUrl', 'detailUrl', 'nameComplete'].map(
    (name) => [`item/sku/${name}`, 'x', 'a string or null'] as const,
  ),
  ['item/sku', {}, 'an object or null'],
  ['item/quantity', 2, 'an integer or null'],
  ['item/endpoint', 'x', 'a string or null'],
  ['plan', {}, 'an object or null'],
  ['plan/type', 'x', 'a string or null'],
  ['plan/frequency', {}, 'an object or null'],
  ['plan/frequency/periodicity', 'MONTHLY', 'a string or null'],
  ['plan/frequency/interval', 1, 'an integer or null'],
  ['plan/validity', {}, 'an object or null'],
  ['plan/validity/begin', '2026-01-02T03:04:05Z', 'a string (ISO 8601 date-time) or null'],
  ['plan/validity/end', '2026-01-02T03:04:05Z', 'a string (ISO 8601 date-time) or null'],
  ['purchaseSettings', {}, 'an object or null'],
  ['purchaseSettings/paymentMethod', {}, 'an object or null'],
  ['purchaseSettings/paymentMethod/paymentSystem', '1', 'a string or null'],
  ['purchaseSettings/paymentMethod/paymentAccountId', '1', 'a string or null'],
  ...['purchaseDay', 'seller', 'salesChannel', 'selectedSla', 'currencyCode'].map(
    (name) => [`purchaseSettings/${name}`, 'x', 'a string or null'] as const,
  ),
  ['shippingAddress', {}, 'an object or null'],
  ...(
    'addressId street number complement neighborhood city state country postalCode reference ' +
    'formattedAddress receiverName addressType addressName'
  )
    .split(' ')
    .map((name) => [`shippingAddress/${name}`, 'x', 'a string or null'] as const),
  ['shippingAddress/additionalComponents', [], 'an array or null'],
  ['shippingAddress/additionalComponents/0', {}, 'an object or null'],
  ['shippingAddress/additionalComponents/0/longName', 'x', 'a string or null'],
  ['shippingAddress/additionalComponents/0/shortName', 'x', 'a string or null'],
  ['shippingAddress/additionalComponents/0/types', [], 'an array or null'],
  ['shippingAddress/additionalComponents/0/types/0', 'x', 'a string or null'],
  ['shippingAddress/geoCoordinate', [], 'an array or null'],
  ['shippingAddress/geoCoordinate/0', -9.1, 'a number or null'],
  ['status', 'ACTIVE', 'a string or null'],
  ['isSkipped', true, 'true or false or null'],
  ['metadata', [], 'an array or null'],
  ['metadata/0', {}, 'an object or null'],
  ['metadata/0/name', 'x', 'a string or null'],
  ['metadata/0/properties', {}, 'an object or null'],
  ['metadata/0/properties/anything', 'x', 'a string or null'],
]
const ofSingle: typeof fields = [
  ['item', {}, 'an object'],
  ['item/priceAtSubscriptionDate', 100, 'an integer or null'],
  ['item/sellingPrice', 100, 'an integer or null'],
  ['item/SellingPrice', 100, 'an integer or null'],
]
const ofGroup: typeof fields = [
  ['item', [], 'an array'],
  ['item/0', {}, 'an object'],
  ['item/0/priceAtSubscriptionDate', 1.5, 'a number or null'],
  ['item/0/sellingPrice', 1.5, 'a number or null'],
  ['item/0/SubscriptionId', 'x', 'a string or null'],
  ['item/0/cycleCount', 3, 'an integer or null'],
  ['item/0/status', 'ACTIVE', 'a string or null'],
  ['item/0/createdAt', '2026-01-02T03:04:05Z', 'a string (ISO 8601 date-time) or null'],
  ['item/0/lastUpdate', '2026-01-02T03:04:05Z', 'a string (ISO 8601 date-time) or null'],
  ['item/0/originalOrderId', 'x', 'a string or null'],
  ['item/0/originalItemIndex', 0, 'an integer or null'],
  ['item/0/isSkipped', false, 'true or false or null'],
  ['item/0/metadata', [], 'an array or null'],
  ['item/0/metadata/0/name', 'x', 'a string or null'],
  ['item/0/metadata/0/properties/x', 'x', 'a string or null'],
]
const inList = ([path, ...rest]: (typeof fields)[number]) =>
  [path.replace(/^item\//, 'item/0/'), ...rest] as const

/** `item/0/quantity` and 2 as `{"item": [{"quantity": 2}]}`. */
function nested(path: string, value: unknown): unknown {
  return path.split('/').reduceRight((inner, key) => (key === '0' ? [inner] : { [key]: inner }), value)
}

/** A value of another type for each: none is right by two of the types but an integer, which is a number too. */
const othersThan = (right: unknown) =>
  ['x', 2, 1.5, true, {}, []].filter((value) => {
    if (Array.isArray(right) !== Array.isArray(value)) return true
    if (typeof right === 'number' && typeof value === 'number')
      return Number.isInteger(right) && !Number.isInteger(value)
    return typeof right !== typeof value
  })

describe.each([
  ['subscription', single, [...fields, ...ofSingle]],
  ['subscription group', group, [...fields.map(inList), ...ofGroup]],
] as const)('in a %s', (_, check, named) => {
  test.each(named)('%s: %j is valid, any other type is not, and %s is expected', (path, right, expected) => {
    expect(check(nested(path, right))).toEqual([])
    const mayBeNull = expected.endsWith('or null')
    const wrong = [...othersThan(right), ...(mayBeNull ? [] : [null])]
    expect(wrong.length).toBeGreaterThan(3)
    for (const value of wrong) expect(check(nested(path, value))).toEqual([{ pointer: `/${path}`, expected }])
    expect(check(nested(path, null))).toHaveLength(mayBeNull ? 0 : 1)
  })

  test.each([null, [], 'x', 1, true])('%j is not a body', (value) =>
    expect(check(value)).toEqual([{ pointer: '', expected: 'an object' }]),
  )

  test.each([
    '{"other":[1,{"quantity":"x"}]}',
    '{"__proto__":{"status":1},"constructor":1,"toString":[]}',
    '{"plan":{"__proto__":1,"hasOwnProperty":1}}',
    '{"Status":1,"STATUS":{}}',
  ])('a member that the interface does not name is not checked: %s', (body) =>
    expect(check(JSON.parse(body))).toEqual([]),
  )
})

test.each(['__proto__', 'constructor', 'a/b', ''])('a property of metadata may have any name: %s', (name) => {
  const body = (value: string) => JSON.parse(`{"metadata":[{"properties":{"${name}":${value}}}]}`)
  const pointer = `/metadata/0/properties/${name.replace('/', '~1')}`
  expect(single(body('"x"'))).toEqual([])
  expect(single(body('{}'))).toEqual([{ pointer, expected: 'a string or null' }])
})

describe('numbers', () => {
  test.each(['2', '2.0', '2e3', '-0', '12345678901234567890', '1e400', '-1e400'])(
    '%s is an integer',
    (text) => expect(group(JSON.parse(`{"item":[{"quantity":${text}}]}`))).toEqual([]),
  )
  test.each(['2.5', '1e-2', '"2"'])('%s is not an integer', (text) =>
    expect(group(JSON.parse(`{"item":[{"quantity":${text}}]}`))).toHaveLength(1),
  )
})

describe('ISO 8601 date-times', () => {
  test.each([
    '2026-01-02T03:04:05Z',
    '2026-01-02T03:04:05.1234567Z',
    '2026-01-02T03:04:05,5+02:00',
    '2026-01-02T03:04:05-0300',
    '2026-01-02T03:04:05+01',
    '2026-01-02T03:04',
    '2026-01-02t03:04:05z',
    '20260102T030405Z',
    '2026-W01-5T03:04:05Z',
    '2026-002T03:04:05Z',
  ])('%s is valid', (begin) => expect(single({ plan: { validity: { begin } } })).toEqual([]))
  test.each([
    '',
    '2026-01-02',
    '03:04:05',
    '2026-01-02 03:04:05',
    'Fri, 02 Jan 2026 03:04:05 GMT',
    '1767323045',
  ])('"%s" is not valid', (begin) => expect(single({ plan: { validity: { begin } } })).toHaveLength(1))
})

test('at most 100 errors are listed', () =>
  expect(group({ item: Array.from({ length: 500 }, () => 1) })).toHaveLength(maxErrors))

test('a deeply nested body is checked only as deep as the schema', () => {
  const deep = `{"plan":${'{"plan":['.repeat(200_000)}${']}'.repeat(200_000)}}`
  expect(single(JSON.parse(deep))).toEqual([])
})

describe('the same as a JSON Schema validator', () => {
  const validate = validatorFor({ components: {} })
  const names = [...new Set([...fields, ...ofGroup, ...ofSingle].flatMap(([path]) => path.split('/')))]
  const { value } = fc.letrec((tie) => ({
    leaf: fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
    value: fc.oneof(
      { depthSize: 'medium' },
      tie('leaf'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), tie('value'), { maxKeys: 6 }),
    ),
  }))

  test.each([
    ['a subscription', subscriptionPatch],
    ['a group', subscriptionGroupPatch],
  ] as const)('%s', (_, schema: FieldSchema) => {
    // As JSON has it: no -0, no NaN.
    fc.assert(
      fc.property(
        value.map((given) => JSON.parse(JSON.stringify(given))),
        (given) => {
          expect(fieldErrors(given, schema).length === 0).toBe(validate(schema, given) === undefined)
        },
      ),
      { numRuns: runsToTry(150) },
    )
  })
})
