import { describe } from 'vitest'
import { itNames, upstream, withEntity, withKeys, withUpstream } from './configurations.ts'

describe('resolveConfig names each error and a correct value', () => {
  const urlWithoutPath = "an https URL without a path, such as 'https://shop.example.com'"
  itNames((input: unknown) => input, '', [
    [undefined, 'the configuration: undefined is not an object with name, upstream, '],
    [null, 'the configuration: null is not an object with '],
    [[], 'the configuration: an empty list is not an object with '],
    ['Longshore', "the configuration: 'Longshore' is not an object with "],
    [() => ({}), 'the configuration: a function is not an object with '],
    [{}, 'upstream: is missing; it must be an object with baseUrl, '],
    [{ upstream: {} }, `upstream.baseUrl: is missing; it must be ${urlWithoutPath}`],
    [{ upstream: { baseUrl: undefined } }, `upstream.baseUrl: is missing; it must be ${urlWithoutPath}`],
    ...['constructor', 'prototype', '__proto__', 'toString'].map((key): [unknown, string] => [
      { upstream, ...JSON.parse(`{"${key}": 1}`) },
      `${key}: unknown key. The valid keys are`,
    ]),
  ])

  itNames(withKeys, '', [
    [{ entitys: [] }, "entitys: unknown key. Did you mean 'entities'?"],
    [{ stepseconds: 1 }, "stepseconds: unknown key. Did you mean 'stepSeconds'"],
    [{ region: 'x' }, 'region: unknown key. The valid keys are name, upstream, '],
    [{ throttle: { rate: 5 } }, "throttle.rate: unknown key. Did you mean 'ratePerSecond'"],
    [{ credentials: { document: 'x' } }, "credentials.document: unknown key. Did you mean 'documents'"],
    [{ auth: { type: 'iam', audience: [] } }, 'auth.audience: unknown key. '],
    [{ name: '1shop' }, "name: '1shop' is not a prefix of stack names"],
    [{ name: 'my_shop' }, "name: 'my_shop' is not a prefix of stack names"],
    [{ name: '' }, "name: '' is not a prefix of stack names"],
    [{ name: 'x'.repeat(54) }, `name: '${'x'.repeat(54)}' is not a prefix of stack names`],
    [{ upstream: 'https://x' }, "upstream: 'https://x' is not an object with baseUrl"],
    [{ credentials: 'shop' }, "credentials: 'shop' is not an object of secrets by area"],
    [{ credentials: { logistics: '' } }, 'credentials.logistics: is not the name or ARN of a secret'],
    [
      { credentials: { logistics: 'arn:aws:s3:::x' } },
      'credentials.logistics: is not the name or ARN of a secret',
    ],
    [
      { credentials: { logistics: { appKey: 'k' } } },
      'credentials.logistics: an object is not the name or ARN',
    ],
  ])

  itNames(withUpstream, 'upstream.', [
    [{ baseURL: 'x' }, "baseURL: unknown key. Did you mean 'baseUrl'"],
    [{ baseUrl: 'shop.example.com' }, `baseUrl: 'shop.example.com' is not ${urlWithoutPath}`],
    [{ baseUrl: 'ftp://shop.example.com' }, `baseUrl: 'ftp://shop.example.com' is not ${urlWithoutPath}`],
    ...['{account}', '<account>'].map((placeholder): [object, string] => [
      { baseUrl: `https://${placeholder}.example.com` },
      `baseUrl: 'https://${placeholder}.example.com' contains the placeholder ${placeholder}; replace it`,
    ]),
    [{ baseUrl: 5 }, `baseUrl: 5 is not ${urlWithoutPath}`],
    [{ baseUrl: 'https://a b' }, `baseUrl: 'https://a b' is not ${urlWithoutPath}`],
    [
      { baseUrl: 'https://shop.example.com/api' },
      "baseUrl: 'https://shop.example.com/api' contains more than scheme, host and port; use 'https://shop.example.com'",
    ],
    [
      { baseUrl: 'http://shop.example.com/api' },
      "baseUrl: 'http://shop.example.com/api' contains more than scheme, host and port; use 'https://shop.example.com'",
    ],
    [
      { baseUrl: 'https://shop.example.com?a=1' },
      "baseUrl: 'https://shop.example.com?a=1' contains more than",
    ],
    [{ baseUrl: 'https://shop.example.com/#' }, "baseUrl: 'https://shop.example.com/#' contains more than"],
    [
      { baseUrl: 'http://shop.example.com' },
      "baseUrl: 'http://shop.example.com' uses http, which only a loopback host may use; use https",
    ],
    [{ baseUrl: 'http://localhost.example.com' }, "baseUrl: 'http://localhost.example.com' uses http"],
    [{ baseUrl: 'http://127.0.0.1.example.com' }, "baseUrl: 'http://127.0.0.1.example.com' uses http"],
    [{ headerPrefix: 'X SVC' }, "headerPrefix: 'X SVC' is not the prefix of a header name"],
    [{ headerPrefix: '' }, "headerPrefix: '' is not the prefix of a header name"],
    [
      { searchPath: 'search/{data_entity}' },
      "searchPath: 'search/{data_entity}' must begin with exactly one /",
    ],
    [
      { searchPath: '//host/{data_entity}' },
      "searchPath: '//host/{data_entity}' must begin with exactly one /",
    ],
    [{ searchPath: '/search/{entity}' }, "searchPath: '/search/{entity}' does not contain {data_entity}"],
    [{ searchPath: '/{data_entity}?a=1' }, "searchPath: '/{data_entity}?a=1' is not a path without a query"],
    [{ searchPath: '/{data_entity}/../x' }, "searchPath: '/{data_entity}/../x' is not a path"],
    [{ searchPath: '/{data_entity}/{id}' }, "searchPath: '/{data_entity}/{id}' is not a path"],
    [{ account: 'my shop' }, "account: 'my shop' is not the account's name"],
    [{ account: '' }, "account: '' is not the account's name"],
    [{ timeoutSeconds: 0.5 }, 'timeoutSeconds: 0.5 is not a number from 1 to 28'],
    [{ timeoutSeconds: 29 }, 'timeoutSeconds: 29 is not a number from 1 to 28'],
    [{ timeoutSeconds: '25' }, "timeoutSeconds: '25' is not a number from 1 to 28"],
    [{ timeoutSeconds: Number.NaN }, 'timeoutSeconds: NaN is not a number from 1 to 28'],
  ])

  itNames(withEntity, 'entities[0].', [
    [{ pagesize: 5 }, "pagesize: unknown key. Did you mean 'pageSize'"],
    [{ query: { constructor: {} } }, 'query.constructor: an object is not a string'],
    [{ query: { a: ['b', null] } }, 'query.a[1]: null is not a string'],
  ])
})
