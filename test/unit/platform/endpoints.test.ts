import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../functions/platform/endpoints.ts'

/** Route, area, scope, repeatable and body of each endpoint. */
const rows = [
  ['GET /api/logistics/pvt/configuration/docks/{dockId}', 'logistics', 'docks:read', 'safe', 'none'],
  [
    'PATCH /api/rns/subscriptions-group/{groupId}',
    'subscriptions',
    'subscriptions:write',
    'only-if-not-done',
    'object-with-item-array',
  ],
  [
    'PATCH /api/rns/subscriptions/{subscriptionId}',
    'subscriptions',
    'subscriptions:write',
    'only-if-not-done',
    'object-with-item-object',
  ],
  ['GET /api/dataentities/{data_entity}/search', 'documents', 'documents:read', 'safe', 'none'],
  ['GET /api/dataentities/{data_entity}/scroll', 'documents', 'documents:read', 'only-if-not-done', 'none'],
] as const

describe('the endpoint table', () => {
  test.each(rows)('has %s', (route, ...promised) => {
    const found = endpoints.find(({ method, path }) => `${method} ${path}` === route)
    expect([found?.area, found?.scope, found?.repeatable, found?.body]).toEqual(promised)
  })

  test('has nothing else', () => expect(endpoints).toHaveLength(rows.length))

  test.each(endpoints.map((endpoint) => [endpoint.name, endpoint] as const))(
    '%s lets no credentials, cookies or connection headers through',
    (_, endpoint) => {
      const headers = [...endpoint.requestHeaders, ...endpoint.responseHeaders].join(' ')
      expect(headers).not.toMatch(
        /app-?key|app-?token|authorization|cookie|connection|transfer-encoding|content-length|^te$|upgrade|host/,
      )
      for (const name of endpoint.requestHeaders) expect(name).toBe(name.toLowerCase())
    },
  )
})
