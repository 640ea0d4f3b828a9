import assert from 'node:assert/strict'
import { openapiRoutes, unmatchedRoutes } from '../../../functions/http/openapi-routes.ts'
import { syncRoutes } from '../../../functions/http/sync-routes.ts'
import { endpoints, proxyRoutes } from '../../../functions/platform/endpoints.ts'
import type { Check } from '../check.ts'
import type { ApiResponse, CheckContext } from '../context.ts'

/** Authorization. The routes are those of the deployed API. */
export const callerChecks: Check[] = [
  {
    name: 'the API has exactly the routes of its tables',
    async run(context) {
      const tables = [...proxyRoutes(endpoints), ...syncRoutes, ...openapiRoutes, ...unmatchedRoutes].map(
        ({ method, path }) => `${method} ${path}`,
      )
      assert.deepEqual((await routesOf(context)).toSorted(), tables.toSorted())
    },
  },
  {
    name: 'an unsigned call is refused on every route and has no effect',
    run: (context) => refusedEverywhere(context, (call) => context.callApi({ ...call, as: 'nobody' })),
  },
  {
    name: 'a call with a wrong signature is refused on every route and has no effect',
    run: (context) => {
      const forger = { ...context.caller, secretAccessKey: 'not-the-key' }
      return refusedEverywhere(context, (call) => context.callApi({ ...call, as: forger }))
    },
  },
  {
    name: 'a call by an identity without permission is refused on every route and has no effect',
    run: (context) =>
      refusedEverywhere(context, (call) => context.callApi({ ...call, as: context.stranger })),
  },
  {
    name: 'the response for a path that is not a route is 404, and for another method of a route 405',
    async run({ callApi }) {
      assert.equal((await callApi({ path: '/nothing/here' })).status, 404)
      const refused = await callApi({ method: 'DELETE', path: '/syncs/CL' })
      assert.equal(refused.status, 405)
      assert.equal(refused.headers['allow'], 'GET, POST')
    },
  },
]

type Send = (call: {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}) => Promise<ApiResponse>

export async function refusedEverywhere(context: CheckContext, send: Send): Promise<void> {
  const upstreamBefore = requestsOfCallers(context)
  const runsBefore = await runsOf(context)
  for (const route of await routesOf(context)) {
    const [method = '', template = ''] = route.split(' ')
    const path = template.replace('{entity}', 'CL').replace(/\{\w+\+?\}/g, 'CL')
    const writes = method === 'PATCH' || method === 'POST'
    const response = await send({
      method,
      path,
      headers: writes ? { 'content-type': 'application/json' } : {},
      body: writes ? '{}' : '',
    })
    assert.equal(
      response.status,
      403,
      `${method} ${path} returned ${response.status}: ${response.body.toString()}`,
    )
  }
  assert.equal(requestsOfCallers(context), upstreamBefore, 'a request reached the platform')
  assert.deepEqual(await runsOf(context), runsBefore, 'a run was started')
}

async function runsOf({ callApi }: CheckContext): Promise<string[]> {
  const { json } = await callApi({ path: '/syncs/CL' })
  return json.runs.map(({ runId }: { runId: string }) => runId)
}

/** Each route is called for CL. Scheduled syncs continue at the same time, and so may the worker of a cancelled one. */
function requestsOfCallers({ platform }: CheckContext): number {
  return platform.requests.filter(({ name }) => name === 'CL').length
}

async function routesOf({ account, deployment }: CheckContext): Promise<string[]> {
  const routes = await account.listRoutes(new URL(deployment.apiUrl).hostname.split('.')[0] ?? '')
  assert.ok(routes.length > 0)
  return routes
}
