import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../../functions/platform/endpoints.ts'
import { allowedQuery, queryString } from '../../../../functions/proxy/request/query-rules.ts'
import { endpoint, refusal } from './refusal.ts'

function goesUp(name: string, query: string, account?: string): string {
  const entry = endpoint(name)
  return queryString(allowedQuery(query, entry, account), entry)
}

test.each([
  ['none', 'read-dock', '', ''],
  ['the account of a group', 'update-subscription-group', 'an=shop%2D1', '?an=shop%2D1'],
  [
    'all parameters of a search',
    'search-documents',
    '_fields=id,email&_where=a%3D1&_sort=id%20ASC&_keyword=x&_schema=v1',
    '?_fields=id,email&_where=a%3D1&_sort=id%20ASC&_keyword=x&_schema=v1',
  ],
  ['fields whose names begin with an', 'search-documents', 'any=1&ant=2', '?any=1&ant=2'],
  ['fields as filters', 'search-documents', 'email=a@b.c&address.city=X', '?email=a@b.c&address.city=X'],
  ['repeated parameters in their order', 'scroll-documents', 'b=2&a=1&b=1', '?b=2&a=1&b=1'],
  ['plus and %20', 'search-documents', 'a=1+2%202&a=%c3%A9', '?a=1+2%202&a=%c3%A9'],
  ['an encoded name', 'scroll-documents', '%5Fsize=10', '?%5Fsize=10'],
  ['no value, an empty value', 'search-documents', 'a&b=', '?a&b='],
  ['equals signs in a value', 'search-documents', 'a=b=c', '?a=b=c'],
  ['bytes that are not UTF-8 in a value', 'search-documents', 'a=%FF', '?a=%FF'],
  ['without empty pairs', 'search-documents', '&a=1&&b=2&', '?a=1&b=2'],
  ['characters to encode', 'search-documents', 'a="é [x]|<y> #', '?a=%22%C3%A9%20%5Bx%5D%7C%3Cy%3E%20%23'],
  ['the smallest size', 'scroll-documents', '_size=1', '?_size=1'],
  ['the largest size', 'scroll-documents', '_size=1000', '?_size=1000'],
  ['a token', 'scroll-documents', '_token=a%2Bb%3D', '?_token=a%2Bb%3D'],
  ['neither size nor token', 'scroll-documents', '_fields=id', '?_fields=id'],
  ['a token without its size', 'scroll-documents', '_size=5&_token=a&b=1', '?_token=a&b=1'],
  ['a token without its size, encoded', 'scroll-documents', '_token=a&%5fsize=5', '?_token=a'],
])('a query is forwarded as the caller wrote it: %s', (_, ...[name, query, expected]) =>
  expect(goesUp(name, query)).toBe(expected),
)

describe('a query is refused with the name of its parameter', () => {
  test.each([
    ['any parameter on a dock', 'read-dock', 'a=1', 'a'],
    ['the account on a dock', 'read-dock', 'an=1', 'an'],
    ['a parameter other than the account on a group', 'update-subscription-group', 'an=1&x=2', 'x'],
    ['the account on a subscription', 'update-subscription', 'an=1', 'an'],
    ['the account on a search', 'search-documents', 'an=shop', 'an'],
    ['the account on a scroll', 'scroll-documents', '_size=5&an=shop', 'an'],
    ['the account on a scroll, encoded', 'scroll-documents', '%61n=shop', 'an'],
    ['a size on a search', 'search-documents', '_size=10', '_size'],
    ['a token on a search', 'search-documents', '_token=a', '_token'],
    ['an unknown name of the platform', 'scroll-documents', '_unknown=1', '_unknown'],
    ['a listed name in another case', 'scroll-documents', '_SIZE=1', '_SIZE'],
    ['a space before an underscore', 'search-documents', '+_size=1', ' _size'],
    ['a control character in a name', 'search-documents', 'a%00=1', 'a\u0000'],
    ['a name that is not UTF-8', 'search-documents', 'a%FF=1', 'a\ufffd'],
    ['the signature of a signed URL', 'search-documents', 'X-Amz-Signature=s', 'X-Amz-Signature'],
    ['no name', 'search-documents', '=1', ''],
    ['an incomplete escape', 'search-documents', 'a=%4', 'a'],
    ['a percent sign alone', 'search-documents', 'a=100%', 'a'],
    ['an escape without digits', 'search-documents', '%zz=1', '%zz'],
    ['size 0', 'scroll-documents', '_size=0', '_size'],
    ['size 1001', 'scroll-documents', '_size=1001', '_size'],
    ['a negative size', 'scroll-documents', '_size=-1', '_size'],
    ['a fraction as size', 'scroll-documents', '_size=1.5', '_size'],
    ['a size in words', 'scroll-documents', '_size=ten', '_size'],
    ['a size in powers', 'scroll-documents', '_size=1e2', '_size'],
    ['a size with a space', 'scroll-documents', '_size=+5', '_size'],
    ['an empty size', 'scroll-documents', '_size=', '_size'],
    ['two sizes', 'scroll-documents', '_size=1&_size=1', '_size'],
    ['two sizes, one encoded', 'scroll-documents', '_size=1&%5fsize=1', '_size'],
    ['a wrong size with a token', 'scroll-documents', '_token=a&_size=0', '_size'],
    ['two sizes with a token', 'scroll-documents', '_token=a&_size=1&_size=1', '_size'],
    ['the account on a search, in another case', 'search-documents', 'AN=shop', 'an'],
    ['the account on a scroll, with white space', 'scroll-documents', '%09a+n%20=shop', 'an'],
    ['two accounts on a group', 'update-subscription-group', 'an=a&an=a', 'an'],
    ['the name that stands for all filters', 'search-documents', 'any-field=email', 'any-field'],
    ['an object as text', 'search-documents', 'filters=%5Bobject%20Object%5D', 'filters'],
    ['an object as text, in a platform parameter', 'scroll-documents', '_where=[object+Object]', '_where'],
    ['a name with brackets', 'search-documents', 'filters[email]=a', 'filters[email]'],
    ['a name with brackets, encoded', 'scroll-documents', 'email%5B%5D=a', 'email[]'],
    ['a bracket alone', 'scroll-documents', ']=a', ']'],
    ['brackets where no field is allowed', 'read-dock', 'a[b]=1', 'a[b]'],
    ['an empty token', 'scroll-documents', '_token=', '_token'],
    ['a token without a value', 'scroll-documents', '_token', '_token'],
    ['two tokens', 'scroll-documents', '_token=a&_token=b', '_token'],
  ])('%s', (_, ...[name, query, parameter]) => {
    const problem = refusal(() => goesUp(name, query))
    expect(problem).toMatchObject({ type: 'urn:longshore:problem:invalid-request', status: 400, parameter })
    expect(problem.detail).toContain(parameter)
  })

  test.each([
    ['no name', 'search-documents', '=1', 'A query parameter has no name. Remove it, or write name=value.'],
    ['a lone surrogate', 'search-documents', 'a=\ud800', 'The query is not valid UTF-8.'],
    ['a query of a dock', 'read-dock', 'a=1', 'This endpoint has no query parameter "a". It accepts none.'],
    [
      'an unknown parameter on a group',
      'update-subscription-group',
      'x=2',
      'This endpoint has no query parameter "x". Its parameters are an.',
    ],
    [
      'a size on a search',
      'search-documents',
      '_size=10',
      'This endpoint has no query parameter "_size". Its parameters are _fields, _where, _sort, _keyword, _schema, field names as filters.',
    ],
    [
      'a control character where any other name is allowed',
      'get-api-oms-pvt-orders-feed',
      'a%00=1',
      'This endpoint has no query parameter "a\u0000". Its parameters are any but X-Amz-…, credentials and names with control characters.',
    ],
    [
      'an object as text where there are no filters',
      'get-api-oms-pvt-orders',
      'page=[object%20Object]',
      'The value of the query parameter "page" is an object. Send each value as a parameter of its own, such as name=VALUE.',
    ],
    [
      'brackets in a search',
      'search-documents',
      'filters[email]=a',
      'The name of the query parameter "filters[email]" contains [ or ]. Send each filter as a parameter of its own, such as email=VALUE.',
    ],
  ])('the problem for %s explains what is allowed', (_, ...[name, query, detail]) => {
    expect(refusal(() => goesUp(name, query))).toMatchObject({ status: 400, detail })
  })
})

describe('the account that a caller names', () => {
  const names = endpoints.map(({ name }) => name)

  test.each(names)(
    'is accepted by %s if it is the configured one, and is forwarded with a group update only',
    (name) => {
      const forwarded = name === 'update-subscription-group'
      expect(goesUp(name, 'an=shop', 'shop')).toBe(forwarded ? '?an=shop' : '')
      expect(goesUp(name, '%61n=sh%6Fp', 'shop')).toBe(forwarded ? '?%61n=sh%6Fp' : '')
    },
  )

  test.each(
    names.flatMap((name) =>
      [
        'an=other',
        'an=Shop',
        'an=',
        'an',
        'AN=other',
        'An=',
        '%41N=other',
        'an%20=other',
        '+aN=other',
        'an%C2%A0',
      ].map((query) => [name, query] as const),
    ),
  )('is refused by %s if it is another: %s', (name, query) => {
    expect(refusal(() => goesUp(name, query, 'shop'))).toMatchObject({
      status: 400,
      parameter: 'an',
      detail:
        'The query parameter "an" must be "shop", the value of upstream.account in Longshore\'s configuration.',
    })
  })

  test.each(names)('may be written in another case or with white space, and goes up as an: %s', (name) => {
    const forwarded = name === 'update-subscription-group'
    expect(goesUp(name, 'AN=shop', 'shop')).toBe(forwarded ? '?an=shop' : '')
    expect(goesUp(name, 'a%4e%20=sh%6Fp', 'shop')).toBe(forwarded ? '?an=sh%6Fp' : '')
  })

  test.each(
    names.flatMap((name) =>
      ['an=shop&an=shop', 'an=shop&AN=shop', '%20an=shop&an=shop'].map((query) => [name, query] as const),
    ),
  )('must not be repeated on %s: %s', (name, query) => {
    expect(refusal(() => goesUp(name, query, 'shop'))).toMatchObject({
      status: 400,
      parameter: 'an',
      detail: 'The query parameter "an" must not be repeated.',
    })
  })

  test.each(names.filter((name) => name !== 'update-subscription-group'))(
    'is refused by %s if none is configured',
    (name) => {
      expect(refusal(() => goesUp(name, 'an=shop'))).toMatchObject({
        status: 400,
        parameter: 'an',
        detail: expect.stringContaining('upstream.account is not set') as string,
      })
    },
  )

  test('may be any account in a group update if none is configured', () => {
    expect(goesUp('update-subscription-group', 'an=any%2Dshop')).toBe('?an=any%2Dshop')
    expect(goesUp('update-subscription-group', 'an=')).toBe('?an=')
    expect(goesUp('update-subscription-group', 'AN%20')).toBe('?an')
  })
})
