import { expect, it } from 'vitest'
import { syncRoutes } from '../../../functions/http/sync-routes.ts'
import { isUnmatched, refuseUnmatched } from '../../../functions/openapi/unmatched.ts'
import { endpoints } from '../../../functions/platform/endpoints.ts'
import { byIam, operationOf, resolved } from './described.ts'

const responseTo = (path: string) => {
  const { result } = refuseUnmatched(path, endpoints)
  return { ...result, body: JSON.parse(String(result.body)) as unknown }
}

it.each([
  ['/syncs', 'GET'],
  ['/syncs/CL', 'GET, POST'],
  ['/syncs/CL/runs/r-1', 'DELETE, GET'],
  ['/api/rns/subscriptions/42', 'PATCH'],
  ['/api/dataentities/CL/scroll', 'GET'],
  ['/openapi.json', 'GET'],
])('responds to another method of %s with 405 and the methods that it allows: %s', (path, allow) => {
  expect(responseTo(path)).toMatchObject({
    statusCode: 405,
    headers: { allow, 'content-type': 'application/problem+json' },
    body: { type: 'urn:longshore:problem:method-not-allowed', detail: `This path allows only ${allow}.` },
  })
})

it.each(['/nothing/here', '/syncs/', '/syncs/CL/runs', '/syncs/CL/a/b', '/api/rns/subscriptions/a/b', ''])(
  'responds to %j, which no route has, with 404',
  (path) => {
    expect(responseTo(path)).toMatchObject({
      statusCode: 404,
      body: { type: 'urn:longshore:problem:not-found' },
    })
    expect(responseTo(path).headers).not.toHaveProperty('allow')
  },
)

/** The paths that API Gateway routes for a `?` at the start or the end of a parameter: a decoded `?` ends the path. */
const cutOff = (path: string): string[] =>
  [...path.matchAll(/\{[^}]+\}/g)].flatMap(({ index, 0: parameter }) =>
    [path.slice(0, index), path.slice(0, index + parameter.length)].map((cut) =>
      cut.replace(/\{[^}]+\}/g, 'x'),
    ),
  )

const operations = [...endpoints, ...syncRoutes]

const isOperation = (method: string, cut: string) =>
  operations.some((one) => one.method === method && one.path.replace(/\{[^}]+\}/g, 'x') === cut)

it.each(
  operations.flatMap(({ method, path }) =>
    cutOff(path)
      .filter((cut) => !isOperation(method, cut))
      .map((cut) => [`${method} ${path}`, cut] as const),
  ),
)('describes what %s receives whose path ends as %s at a `?`', (route, cut) => {
  const { statusCode, body } = responseTo(cut)
  const { content } = resolved(byIam, operationOf(byIam, route).responses[String(statusCode)])
  expect(JSON.stringify(content['application/problem+json'].schema)).toContain(
    (body as { type: string }).type,
  )
})

it('has a route for all requests that match no other route, except OPTIONS', () => {
  expect(['GET', 'HEAD', 'PUT', 'DELETE'].every((method) => isUnmatched(`${method} /{proxy+}`))).toBe(true)
  expect(['OPTIONS /{proxy+}', 'GET /openapi.json'].some(isUnmatched)).toBe(false)
})
