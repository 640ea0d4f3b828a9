import assert from 'node:assert/strict'
import { openapiRoutes } from '../../../functions/openapi/routes.ts'
import { endpoints } from '../../../functions/platform/endpoints.ts'
import { syncRoutes } from '../../../functions/sync-api/routes.ts'
import type { Check } from '../check.ts'
import type { ApiAnswer, World } from '../world.ts'

/** Who may call. The routes are those that the deployed API says it has. */
export const callerChecks: Check[] = [
  {
    name: 'the API has exactly the routes of its tables',
    async run(world) {
      const tables = [...endpoints, ...syncRoutes, ...openapiRoutes].map(
        ({ method, path }) => `${method} ${path}`,
      )
      assert.deepEqual((await routesOf(world)).toSorted(), tables.toSorted())
    },
  },
  {
    name: 'a call without a signature is refused on every route, and reaches nothing',
    run: (world) => refusedEverywhere(world, (call) => world.callApi({ ...call, as: 'nobody' })),
  },
  {
    name: 'a call whose signature is wrong is refused on every route, and reaches nothing',
    run: (world) => {
      const forger = { ...world.caller, secretAccessKey: 'not-the-key' }
      return refusedEverywhere(world, (call) => world.callApi({ ...call, as: forger }))
    },
  },
  {
    name: 'a call of an identity without permission is refused on every route, and reaches nothing',
    run: (world) => refusedEverywhere(world, (call) => world.callApi({ ...call, as: world.stranger })),
  },
  {
    name: 'a call of a path that is no route is answered 404',
    async run({ callApi }) {
      assert.equal((await callApi({ path: '/nothing/here' })).status, 404)
    },
  },
]

type Send = (call: {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}) => Promise<ApiAnswer>

export async function refusedEverywhere(world: World, send: Send): Promise<void> {
  const upstreamBefore = requestsOfCallers(world)
  const runsBefore = await runsOf(world)
  for (const route of await routesOf(world)) {
    const [method = '', template = ''] = route.split(' ')
    const path = template.replace('{entity}', 'CL').replace(/\{\w+\}/g, 'CL')
    const writes = method === 'PATCH' || method === 'POST'
    const answer = await send({
      method,
      path,
      headers: writes ? { 'content-type': 'application/json' } : {},
      body: writes ? '{}' : '',
    })
    assert.equal(answer.status, 403, `${method} ${path} answered ${answer.status}: ${answer.body.toString()}`)
  }
  assert.equal(requestsOfCallers(world), upstreamBefore, 'something reached the platform')
  assert.deepEqual(await runsOf(world), runsBefore, 'a run was started')
}

async function runsOf({ callApi }: World): Promise<string[]> {
  const { json } = await callApi({ path: '/syncs/CL' })
  return json.runs.map(({ runId }: { runId: string }) => runId)
}

/** Each route is called for CL. Scheduled syncs go on all the while, and so may the worker of a cancelled one. */
function requestsOfCallers({ platform }: World): number {
  return platform.requests.filter(({ name }) => name === 'CL').length
}

async function routesOf({ account, deployment }: World): Promise<string[]> {
  const routes = await account.listRoutes(new URL(deployment.apiUrl).hostname.split('.')[0] ?? '')
  assert.ok(routes.length > 0)
  return routes
}
