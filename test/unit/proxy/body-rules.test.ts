import { describe, expect, test } from 'vitest'
import { requestBody } from '../../../functions/http/request-body.ts'
import { checkBody } from '../../../functions/proxy/body-rules.ts'
import { refusal } from './refusal.ts'

const list = 'object-with-item-array'
const single = 'object-with-item-object'
type Rule = typeof list | typeof single
const check = (body: string | Buffer, rule: Rule, type = 'application/json') =>
  refusal(() => checkBody(Buffer.from(body), type, rule))

describe('Content-Type of a patch', () => {
  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="x"',
    ' application/merge-patch+json ',
    'application/vnd.shop.v1+json; a=b',
  ])('%s is JSON', (type) => expect(check('{}', single, type).status).toBe(0))

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
  ])('%s is not', (type) => {
    expect(refusal(() => checkBody(Buffer.from('{}'), type, single))).toMatchObject({
      type: 'urn:longshore:problem:unsupported-media-type',
      status: 415,
    })
  })
})

describe('body of a patch', () => {
  test.each([
    ['nothing to change', '{}', single],
    ['no item', '{"status":"ACTIVE"}', list],
    ['a list on a group', '{"item":[{"sku":{"id":"1"}},{}]}', list],
    ['an empty list on a group', '{"item":[]}', list],
    ['one item on a subscription', '{"item":{"quantity":2}}', single],
    ['nulls and unknown members elsewhere', ' {"plan":null,"x":[1]} ', single],
  ] as const)('%s is right', (_, body, rule) => expect(check(body, rule).status).toBe(0))

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

  test('what was wrong in it is not quoted', () => {
    expect(JSON.stringify(check('{"secret-value"', single))).not.toContain('secret-value')
  })

  test('it is read from text and from base64', () => {
    expect(requestBody({ body: '{"a":"é"}', isBase64Encoded: false })).toEqual(Buffer.from('{"a":"é"}'))
    expect(requestBody({ body: 'AP8=', isBase64Encoded: true })).toEqual(Buffer.from([0, 255]))
    expect(requestBody({ isBase64Encoded: false })).toHaveLength(0)
  })
})
