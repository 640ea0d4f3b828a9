import { describe, expect, it } from 'vitest'
import { beginningsOf, errorsIn, upstream, withEntity, withKeys, withUpstream } from './configurations.ts'

describe('resolveConfig names each error and a correct value', () => {
  const urlWithoutPath = "an https URL without a path, such as 'https://shop.example.com'"
  it.each<[unknown, string]>([
    // The configuration as a whole
    [undefined, 'the configuration: undefined is not an object with name, upstream, '],
    [null, 'the configuration: null is not an object with '],
    [[], 'the configuration: an empty list is not an object with '],
    ['Longshore', "the configuration: 'Longshore' is not an object with "],
    [() => ({}), 'the configuration: a function is not an object with '],
    [{}, 'upstream: is missing; it must be an object with baseUrl, '],
    [{ upstream: {} }, `upstream.baseUrl: is missing; it must be ${urlWithoutPath}`],
    [{ upstream: { baseUrl: undefined } }, `upstream.baseUrl: is missing; it must be ${urlWithoutPath}`],
    // Keys
    [withKeys({ entitys: [] }), "entitys: unknown key. Did you mean 'entities'?"],
    [withKeys({ stepseconds: 1 }), "stepseconds: unknown key. Did you mean 'stepSeconds'"],
    [withKeys({ region: 'x' }), 'region: unknown key. The valid keys are name, upstream, '],
    [withUpstream({ baseURL: 'x' }), "upstream.baseURL: unknown key. Did you mean 'baseUrl'"],
    [withKeys({ throttle: { rate: 5 } }), "throttle.rate: unknown key. Did you mean 'ratePerSecond'"],
    [
      withKeys({ credentials: { document: 'x' } }),
      "credentials.document: unknown key. Did you mean 'documents'",
    ],
    [withKeys({ auth: { type: 'iam', audience: [] } }), 'auth.audience: unknown key. '],
    [withEntity({ pagesize: 5 }), "entities[0].pagesize: unknown key. Did you mean 'pageSize'"],
    // name
    [withKeys({ name: '1shop' }), "name: '1shop' is not a prefix of stack names"],
    [withKeys({ name: 'my_shop' }), "name: 'my_shop' is not a prefix of stack names"],
    [withKeys({ name: '' }), "name: '' is not a prefix of stack names"],
    [withKeys({ name: 'x'.repeat(54) }), `name: '${'x'.repeat(54)}' is not a prefix of stack names`],
    // upstream
    [withKeys({ upstream: 'https://x' }), "upstream: 'https://x' is not an object with baseUrl"],
    [
      withUpstream({ baseUrl: 'shop.example.com' }),
      `upstream.baseUrl: 'shop.example.com' is not ${urlWithoutPath}`,
    ],
    [
      withUpstream({ baseUrl: 'ftp://shop.example.com' }),
      `upstream.baseUrl: 'ftp://shop.example.com' is not ${urlWithoutPath}`,
    ],
    ...['{account}', '<account>'].map((placeholder): [object, string] => [
      withUpstream({ baseUrl: `https://${placeholder}.example.com` }),
      `upstream.baseUrl: 'https://${placeholder}.example.com' contains the placeholder ${placeholder}; replace it`,
    ]),
    [withUpstream({ baseUrl: 5 }), `upstream.baseUrl: 5 is not ${urlWithoutPath}`],
    [withUpstream({ baseUrl: 'https://a b' }), `upstream.baseUrl: 'https://a b' is not ${urlWithoutPath}`],
    [
      withUpstream({ baseUrl: 'https://shop.example.com/api' }),
      "upstream.baseUrl: 'https://shop.example.com/api' contains more than scheme, host and port; use 'https://shop.example.com'",
    ],
    [
      withUpstream({ baseUrl: 'http://shop.example.com/api' }),
      "upstream.baseUrl: 'http://shop.example.com/api' contains more than scheme, host and port; use 'https://shop.example.com'",
    ],
    [
      withUpstream({ baseUrl: 'https://shop.example.com?a=1' }),
      "upstream.baseUrl: 'https://shop.example.com?a=1' contains more than",
    ],
    [
      withUpstream({ baseUrl: 'https://shop.example.com/#' }),
      "upstream.baseUrl: 'https://shop.example.com/#' contains more than",
    ],
    [
      withUpstream({ baseUrl: 'http://shop.example.com' }),
      "upstream.baseUrl: 'http://shop.example.com' uses http, which only a loopback host may use; use https",
    ],
    [
      withUpstream({ baseUrl: 'http://localhost.example.com' }),
      "upstream.baseUrl: 'http://localhost.example.com' uses http",
    ],
    [
      withUpstream({ baseUrl: 'http://127.0.0.1.example.com' }),
      "upstream.baseUrl: 'http://127.0.0.1.example.com' uses http",
    ],
    [
      withUpstream({ headerPrefix: 'X SVC' }),
      "upstream.headerPrefix: 'X SVC' is not the prefix of a header name",
    ],
    [withUpstream({ headerPrefix: '' }), "upstream.headerPrefix: '' is not the prefix of a header name"],
    [
      withUpstream({ searchPath: 'search/{data_entity}' }),
      "upstream.searchPath: 'search/{data_entity}' must begin with exactly one /",
    ],
    [
      withUpstream({ searchPath: '//host/{data_entity}' }),
      "upstream.searchPath: '//host/{data_entity}' must begin with exactly one /",
    ],
    [
      withUpstream({ searchPath: '/search/{entity}' }),
      "upstream.searchPath: '/search/{entity}' does not contain {data_entity}",
    ],
    [
      withUpstream({ searchPath: '/{data_entity}?a=1' }),
      "upstream.searchPath: '/{data_entity}?a=1' is not a path without a query",
    ],
    [
      withUpstream({ searchPath: '/{data_entity}/../x' }),
      "upstream.searchPath: '/{data_entity}/../x' is not a path",
    ],
    [
      withUpstream({ searchPath: '/{data_entity}/{id}' }),
      "upstream.searchPath: '/{data_entity}/{id}' is not a path",
    ],
    [withUpstream({ account: 'my shop' }), "upstream.account: 'my shop' is not the account's name"],
    [withUpstream({ account: '' }), "upstream.account: '' is not the account's name"],
    [withUpstream({ timeoutSeconds: 0.5 }), 'upstream.timeoutSeconds: 0.5 is not a number from 1 to 28'],
    [withUpstream({ timeoutSeconds: 29 }), 'upstream.timeoutSeconds: 29 is not a number from 1 to 28'],
    [withUpstream({ timeoutSeconds: '25' }), "upstream.timeoutSeconds: '25' is not a number from 1 to 28"],
    [
      withUpstream({ timeoutSeconds: Number.NaN }),
      'upstream.timeoutSeconds: NaN is not a number from 1 to 28',
    ],
    // credentials
    [withKeys({ credentials: 'shop' }), "credentials: 'shop' is not an object of secrets by area"],
    [
      withKeys({ credentials: { logistics: '' } }),
      'credentials.logistics: is not the name or ARN of a secret',
    ],
    [
      withKeys({ credentials: { logistics: 'arn:aws:s3:::x' } }),
      'credentials.logistics: is not the name or ARN of a secret',
    ],
    [
      withKeys({ credentials: { logistics: { appKey: 'k' } } }),
      'credentials.logistics: an object is not the name or ARN',
    ],
    // Keys that valibot ignores
    ...['constructor', 'prototype', '__proto__', 'toString'].map((key): [object, string] => [
      { upstream, ...JSON.parse(`{"${key}": 1}`) },
      `${key}: unknown key. The valid keys are`,
    ]),
    [withEntity({ query: { constructor: {} } }), 'entities[0].query.constructor: an object is not a string'],
    [withEntity({ query: { a: ['b', null] } }), 'entities[0].query.a[1]: null is not a string'],
  ])('%j: %s', (input, error) => expect(beginningsOf(errorsIn(input), error)).toEqual([error]))
})
