import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../../../functions/platform/endpoints.ts'
import { placeholders } from '../../../functions/platform/query-names.ts'
import { readIdempotencyKey } from '../../../functions/proxy/idempotency/idempotency-key.ts'
import { type BodyCheck, checkBody } from '../../../functions/proxy/request/body-rules.ts'
import { upstreamHeaders } from '../../../functions/proxy/request/header-rules.ts'
import { pathSegment } from '../../../functions/proxy/request/path-rules.ts'
import { allowedQuery } from '../../../functions/proxy/request/query-rules.ts'
import { readStartBody } from '../../../functions/sync-api/request-bodies.ts'
import { endpoint } from '../proxy/request/refusal.ts'
import { byIam, operationOf, parametersOf, validatorFor, withEndpoints } from './described.ts'

const validate = validatorFor(byIam)

const scroll = operationOf(byIam, 'GET /api/dataentities/{data_entity}/scroll')
const feed = operationOf(withEndpoints, 'GET /api/oms/pvt/orders/feed')
const search = operationOf(byIam, 'GET /api/dataentities/{data_entity}/search')
const group = operationOf(byIam, 'PATCH /api/rns/subscriptions-group/{groupId}')

const scrollEntry = endpoint('scroll-documents')

const parameter = (operation: typeof scroll, name: string, document: object = byIam): object =>
  parametersOf(document, operation).find((one) => one.name === name)?.schema ?? {}
const fits = (schema: object, value: unknown) => validate(schema, value) === undefined
const accepts = (rule: () => unknown): boolean => {
  try {
    rule()
    return true
  } catch {
    return false
  }
}

/** Texts near the limits of the rules. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      '.',
      '/',
      '\\',
      '"',
      ' ',
      '_',
      'a',
      '-',
      'x',
      '%',
      '?',
      '#',
      '\t',
      '\u0085',
      '\ufffd',
      'é',
    ),
  }),
)

describe('the OpenAPI document allows what the rules allow', () => {
  test('for path parameters', () => {
    fc.assert(
      fc.property(text, (value) => {
        const allowed = accepts(() => pathSegment('data_entity', value))
        expect(fits(parameter(scroll, 'data_entity'), value)).toBe(allowed)
      }),
    )
  })

  test.each<[string, typeof byIam, typeof scroll, Endpoint]>([
    ['filters', byIam, scroll, scrollEntry],
    [
      'parameters where any is accepted',
      withEndpoints,
      feed,
      { ...scrollEntry, query: [], otherQuery: 'any' },
    ],
  ])('for names of %s', (_, ...[document, operation, entry]) => {
    const filters = parameter(operation, placeholders[entry === scrollEntry ? 'fields' : 'any'], document)
    const validate = validatorFor(document)
    const names = fc.oneof(
      text,
      fc.constantFrom(
        'X-Amz-Date',
        'x-amz-x',
        'x-amzn',
        'a[b]',
        ']',
        '_fields2',
        'é',
        'an',
        'An',
        'a N ',
        'any',
        'any-field',
        'any-fields',
        'any-name',
        'X-Shop-API-AppKey',
        'app_token',
        'app_tokens',
        'Authorization',
        'Access_Token',
      ),
    )
    fc.assert(
      fc.property(names, (name) => {
        fc.pre(!entry.query.includes(name))
        const allowed = accepts(() => allowedQuery(`${encodeURIComponent(name)}=1`, entry, undefined))
        expect(validate(filters, { [name]: '1' }) === undefined).toBe(allowed)
      }),
    )
  })

  test.each([0, 1, 1000, 1001, 1.5])('for a page size of %d', (size) => {
    const allowed = accepts(() => allowedQuery(`_size=${size}`, scrollEntry, undefined))
    expect(fits(parameter(scroll, '_size'), size)).toBe(allowed)
  })

  test.each(['resources=0-100', 'resources=5-10', 'items=0-1', 'resources=0', 'resources=a-b', ''])(
    'for a range of %j',
    (range) => {
      const entry = { requestHeaders: ['rest-range'] }
      expect(fits(parameter(search, 'REST-Range'), range)).toBe(
        accepts(() => upstreamHeaders({ 'rest-range': range }, entry)),
      )
    },
  )

  const keyed = (key: string) => ({
    headers: { 'idempotency-key': key },
    rawPath: '/',
    rawQueryString: '',
    routeKey: '',
    requestContext: {},
  })
  const longest = 'x'.repeat(255)
  const isDescribed = (key: string) => fits(parameter(group, 'Idempotency-Key'), key)
  const isAccepted = (key: string) => accepts(() => readIdempotencyKey(keyed(key), Buffer.from('{}')))

  test('for idempotency keys', () => {
    const keys = fc.oneof(
      text,
      text.map((key) => `"${key}"`),
    )
    // HTTP removes spaces around a header's value.
    fc.assert(
      fc.property(keys, (key) => {
        expect(isDescribed(key.trim())).toBe(isAccepted(key.trim()))
      }),
    )
  })

  test.each([longest, `${longest}x`, `"${longest}"`, `"${longest}x"`, `"\\"${longest.slice(1)}"`, '""', ''])(
    'for an idempotency key at the limit: %s',
    (key) => expect(isDescribed(key)).toBe(isAccepted(key)),
  )

  const documented = (rule: BodyCheck['rule']): BodyCheck => ({
    contentType: 'application/json',
    validation: 'strict',
    rule,
  })

  test.each([
    {},
    { item: [] },
    { item: [{ unknown: 1 }] },
    { status: null, plan: null },
    { item: {} },
    { item: null },
    { item: [null] },
    { item: [[]] },
    [],
    null,
    'text',
  ])('for a group patch of %j', (patch) => {
    const { schema } = group.requestBody.content['application/json']
    const body = Buffer.from(JSON.stringify(patch))
    expect(fits(schema, patch)).toBe(accepts(() => checkBody(body, documented('object-with-item-array'))))
  })

  test.each([{}, { item: {} }, { item: { sku: null } }, { item: [] }, { item: null }, [], 1])(
    'for a subscription patch of %j',
    (patch) => {
      const operation = operationOf(byIam, 'PATCH /api/rns/subscriptions/{subscriptionId}')
      const { schema } = operation.requestBody.content['application/json']
      const body = Buffer.from(JSON.stringify(patch))
      expect(fits(schema, patch)).toBe(accepts(() => checkBody(body, documented('object-with-item-object'))))
    },
  )

  test.each([
    {},
    { acceptShrink: true },
    { acceptDeletes: false },
    { acceptShrink: 1 },
    { other: 1 },
    [],
    null,
  ])('for the start of a sync with %j', (options) => {
    const { schema } = operationOf(byIam, 'POST /syncs/{entity}').requestBody.content['application/json']
    expect(fits(schema, options)).toBe(accepts(() => readStartBody(Buffer.from(JSON.stringify(options)))))
  })
})
