import { describe, expect, test } from 'vitest'
import { requestBody } from '../../../../functions/http/request-body.ts'
import { type BodyCheck, checkBody } from '../../../../functions/proxy/request/body-rules.ts'
import { refusal } from './refusal.ts'

const list = 'object-with-item-array'
const single = 'object-with-item-object'
type Rule = typeof list | typeof single
const check = (body: string | Buffer, rule: Rule, more: Partial<BodyCheck> = {}) =>
  refusal(() =>
    checkBody(Buffer.from(body), {
      contentType: 'application/json',
      validation: 'strict',
      rule,
      ...more,
    }),
  )

describe('the Content-Type of a PATCH', () => {
  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="x"',
    ' application/merge-patch+json ',
    'application/vnd.shop.v1+json; a=b',
    'application/json ; a=b',
  ])('%s is JSON', (type) => expect(check('{}', single, { contentType: type }).status).toBe(0))

  test.each([
    undefined,
    '',
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json-seq',
    'application/+json',
    'application/json, text/plain',
    'xapplication/json',
  ])('%s is not JSON', (type) => {
    expect(
      refusal(() => checkBody(Buffer.from('{}'), { contentType: type, rule: single, validation: 'strict' })),
    ).toMatchObject({
      type: 'urn:longshore:problem:unsupported-media-type',
      status: 415,
      detail: 'The body must be JSON. Send it with Content-Type: application/json.',
    })
  })
})

describe('the body of a PATCH', () => {
  test.each([
    ['an empty object', '{}', single],
    ['no item', '{"status":"ACTIVE"}', list],
    ['a list on a group', '{"item":[{"sku":{"id":"1"}},{}]}', list],
    ['an empty list on a group', '{"item":[]}', list],
    ['one item on a subscription', '{"item":{"quantity":2}}', single],
    ['nulls and unknown members elsewhere', ' {"plan":null,"x":[1]} ', single],
  ] as const)('%s is valid', (_, body, rule) => expect(check(body, rule).status).toBe(0))

  test.each<[string, string | Buffer, Rule, string]>([
    ['missing', '', single, ''],
    ['not JSON', '{', single, ''],
    ['two values', '{}{}', single, ''],
    ['an array', '[]', list, ''],
    ['null', 'null', single, ''],
    ['a string', '"a"', single, ''],
    ['a number', '1', single, ''],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), single, ''],
    ['a byte order mark', '\ufeff{}', single, ''],
    ['one item on a group', '{"item":{}}', list, '/item'],
    ['a list on a subscription', '{"item":[{}]}', single, '/item'],
    ['null as a list', '{"item":null}', list, '/item'],
    ['null as one item', '{"item":null}', single, '/item'],
    ['a string as one item', '{"item":"1"}', single, '/item'],
    ['null within a list', '{"item":[{},null]}', list, '/item/1'],
    ['a list within a list', '{"item":[[]]}', list, '/item/0'],
    ['a number within a list', '{"item":[1]}', list, '/item/0'],
  ])('%s is refused', (_, ...[body, rule, pointer]) => {
    expect(check(body, rule)).toMatchObject({
      type: 'urn:longshore:problem:invalid-request',
      status: 400,
      pointer,
    })
  })

  test.each<[string, string | Buffer, string]>([
    ['is missing', '', 'The body is missing. Send a JSON object with the parts to change.'],
    [
      'begins with a byte order mark',
      '\ufeff{"status":"ACTIVE"}',
      'The body begins with a byte order mark (U+FEFF). Save it as UTF-8 without one and send it again.',
    ],
    ['is not JSON', '{', 'The body is not valid JSON.'],
    [
      'is not UTF-8',
      Buffer.from([0x22, 0xff, 0x22]),
      'The body is not UTF-8. Send JSON in UTF-8 without compression.',
    ],
    ['is a list', '[]', "The platform's interface does not allow this body: the body must be an object."],
  ])('that %s is refused with what to send', (_, body, detail) => {
    expect(check(body, single).detail).toBe(detail)
  })

  test.each([
    [5, ''],
    [6, '; 6 errors in all'],
  ])('with %i errors is refused with the first five', (count, more) => {
    const item = Array.from({ length: count }, () => 1)
    const places = [0, 1, 2, 3, 4].map((index) => `/item/${index} must be an object`).join('; ')
    expect(check(JSON.stringify({ item }), list).detail).toBe(
      `The platform's interface does not allow this body: ${places}${more}.`,
    )
  })

  test.each([
    [200, (pointer: string) => pointer],
    [201, () => 'a member'],
  ])('is refused without quoting a pointer of more than 200 characters: %i', (length, shown) => {
    const prefix = '/metadata/0/properties/'
    const key = 'k'.repeat(length - prefix.length)
    const problem = check(JSON.stringify({ metadata: [{ properties: { [key]: 1 } }] }), list)
    expect(problem.detail).toContain(`body: ${shown(prefix + key)} must be a string or null.`)
  })

  test.each(['strict', 'structure'] as const)(
    'an item of the wrong form is refused if checked as %s',
    (validation) => {
      expect(check('{"item":{}}', list, { validation })).toMatchObject({
        status: 400,
        pointer: '/item',
        errors: [{ pointer: '/item', expected: 'an array' }],
      })
      expect(check('{"item":[[]]}', single, { validation })).toMatchObject({
        errors: [{ pointer: '/item', expected: 'an object' }],
      })
    },
  )

  test('that cannot be read has no list of errors', () =>
    expect(check('{', single)).not.toHaveProperty('errors'))

  test('is not quoted in the problem', () =>
    expect(JSON.stringify(check('{"secret-value"', single))).not.toContain('secret-value'))

  const wrongInAll = {
    status: 1,
    plan: { validity: { begin: 'tomorrow', end: null }, frequency: { interval: '2' } },
    item: [{ quantity: 1.5 }, { sku: { id: 310 } }],
    metadata: [{ properties: { 'a/b~c': 1 } }],
    unknown: { status: 1 },
  }

  test('is refused with the pointer and the expected type of every error', () => {
    expect(check(JSON.stringify(wrongInAll), list)).toMatchObject({
      type: 'urn:longshore:problem:invalid-request',
      status: 400,
      pointer: '/item/0/quantity',
      errors: [
        { pointer: '/item/0/quantity', expected: 'an integer or null' },
        { pointer: '/item/1/sku/id', expected: 'a string or null' },
        { pointer: '/plan/frequency/interval', expected: 'an integer or null' },
        { pointer: '/plan/validity/begin', expected: 'a string (ISO 8601 date-time) or null' },
        { pointer: '/status', expected: 'a string or null' },
        { pointer: '/metadata/0/properties/a~1b~0c', expected: 'a string or null' },
      ],
      detail:
        "The platform's interface does not allow this body: /item/0/quantity must be an integer or null; /item/1/sku/id must be a string or null; /plan/frequency/interval must be an integer or null; /plan/validity/begin must be a string (ISO 8601 date-time) or null; /status must be a string or null; 6 errors in all.",
    })
  })

  test('is checked for item only with validation: structure', () =>
    expect(check(JSON.stringify(wrongInAll), list, { validation: 'structure' }).status).toBe(0))

  test('is refused with a short problem that does not quote values', () => {
    const longKey = 'k'.repeat(100_000)
    const body = JSON.stringify({
      status: ['secret-value'],
      metadata: Array.from({ length: 1000 }, () => ({ properties: { [longKey]: 1 } })).slice(0, 50),
      item: Array.from({ length: 500 }, () => ({ quantity: 'secret-value' })),
    })
    const response = JSON.stringify(check(body, list))
    expect(response).not.toContain('secret-value')
    expect(response.length).toBeLessThan(20_000)
    expect(check(body, list)['errors']).toHaveLength(100)
    expect(check(body, list).detail).toContain('100 or more errors in all')
    const keysOnly = JSON.stringify({ metadata: [{ properties: { [longKey]: 1 } }] })
    expect(check(keysOnly, list)['errors']).toEqual([
      {
        pointer: '/metadata/0/properties',
        expected: 'an object or array whose members are each a string or null',
      },
    ])
  })

  test('is read from text and from base64', () => {
    expect(requestBody({ body: '{"a":"é"}', isBase64Encoded: false })).toEqual(Buffer.from('{"a":"é"}'))
    expect(requestBody({ body: 'AP8=', isBase64Encoded: true })).toEqual(Buffer.from([0, 255]))
    expect(requestBody({ isBase64Encoded: false })).toHaveLength(0)
  })
})
