import { describe, expect, it } from 'vitest'
import { readQuery } from '../../../functions/http/query.ts'

describe('the query of a route', () => {
  it('has the decoded values of its parameters', () => {
    expect([...readQuery('since=a%20b&limit=', ['since', 'limit'])]).toEqual([
      ['since', 'a b'],
      ['limit', ''],
    ])
  })

  it.each([
    [
      'a parameter that the route does not have',
      'size=1',
      ['since', 'limit'],
      'This route has no query parameter "size". Its parameters are since, limit.',
    ],
    [
      'any parameter if the route has none',
      'size=1',
      [],
      'This route has no query parameter "size". It accepts none.',
    ],
    ['a repeated parameter', 'size=1&size=1', ['size'], 'The query parameter size must not be repeated.'],
  ])('refuses %s', (_, query, ...[listed, message]) => {
    expect(() => readQuery(query, listed)).toThrow(
      expect.objectContaining({ problem: 'invalid-request', message, extensions: { parameter: 'size' } }),
    )
  })
})
