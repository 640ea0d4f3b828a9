import { expect, it } from 'vitest'
import { recordResponses } from '../../../../console/server/export.ts'
import type { Routes } from '../../../../console/server/routes.ts'
import { CommandError } from '../../../../operator/errors.ts'

const run = (day: number) => `202611${String(day).padStart(2, '0')}T060000000Z-0123456789ab`

/** Routes that respond with what was asked for; each path of documents and each change fails the test. */
function routesOf(entities: readonly string[], runs: readonly string[]) {
  const asked: string[] = []
  const route = (name: string, value: unknown) =>
    [
      `GET ${name}`,
      async ({ path, query }: Parameters<Routes[string]>[0]) => {
        asked.push(
          name.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => path(parameter)) +
            (query.size > 0 ? `?${query.toString()}` : ''),
        )
        return value
      },
    ] as const
  const row = (entity: string) => ({ entity, running: null, lastRun: null, problems: [] })
  const routes: Routes = Object.fromEntries([
    route('/about', { name: 'Longshore', referencePath: null }),
    route('/health', { findings: [] }),
    route('/overview', { now: '2026-11-27T09:30:12.345Z', entities: entities.map(row) }),
    route('/timeline', { lanes: [] }),
    route('/entities/{entity}', { row: {} }),
    route('/entities/{entity}/runs', { runs: runs.map((runId) => ({ runId })) }),
    route('/entities/{entity}/runs/{run}', { now: 'then' }),
    route('/entities/{entity}/runs/{run}/speed', { speed: null }),
    route('/entities/{entity}/runs/{run}/logs', { lines: [] }),
    ...['/schema', '/snapshots', '/runs/{run}/review', '/changes/{run}'].map((name) =>
      route(`/entities/{entity}${name}`, 'documents'),
    ),
  ])
  return { routes, asked }
}

it('records the overview, the timeline, the entities and their last ten runs, and nothing of documents', async () => {
  const runs = [20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10].map(run)
  const { routes, asked } = routesOf(['CL', 'A_1'], runs)
  const { takenAt, responses } = await recordResponses(routes)
  expect(takenAt).toBe('2026-11-27 09:30 UTC')
  const ofEntity = (entity: string) => [
    `/entities/${entity}`,
    `/entities/${entity}/runs`,
    ...runs
      .slice(0, 10)
      .flatMap((id) => ['', '/speed', '/logs'].map((end) => `/entities/${entity}/runs/${id}${end}`)),
  ]
  expect(Object.keys(responses).toSorted()).toEqual(
    [
      '/about',
      '/health',
      '/overview',
      ...[1, 6, 24, 168].map((hours) => `/timeline?hours=${hours}&after=0`),
      ...ofEntity('CL'),
      ...ofEntity('A_1'),
    ].toSorted(),
  )
  expect(asked).toHaveLength(Object.keys(responses).length)
  // What only the doctor finds is part of the overview once it has inspected the deployment.
  expect(asked.indexOf('/health')).toBeLessThan(asked.indexOf('/overview'))
})

it('records fewer runs of each of many entities, and those that the overview links to', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `E${index}`)
  const { routes } = routesOf(names, [20, 19, 18, 17].map(run))
  const overview = {
    now: '2026-11-27T09:30:12.345Z',
    entities: names.map((entity) => ({
      entity,
      running: null,
      lastRun: { runId: run(18) },
      problems: entity === 'E7' ? [{ step: { kind: 'review', runId: run(17) } }] : [],
    })),
  }
  const { responses } = await recordResponses({ ...routes, 'GET /overview': async () => overview })
  const recorded = (entity: string) =>
    [20, 19, 18, 17].filter((day) => `/entities/${entity}/runs/${run(day)}` in responses)
  expect(recorded('E1')).toEqual([20, 19, 18])
  expect(recorded('E7')).toEqual([20, 19, 18, 17])
})

it('records the last run of each entity, however many there are', async () => {
  const names = Array.from({ length: 201 }, (_, index) => `E${index}`)
  const { routes } = routesOf(names, [20, 19].map(run))
  const { responses } = await recordResponses(routes)
  expect([20, 19].filter((day) => `/entities/E200/runs/${run(day)}` in responses)).toEqual([20])
})

it('records why something could not be read, and exports nothing without the overview', async () => {
  const { routes } = routesOf(['CL'], [run(20)])
  const failing = async () => {
    throw new CommandError('Access denied.')
  }
  const logs = `/entities/CL/runs/${run(20)}/logs`
  const { responses } = await recordResponses({
    ...routes,
    'GET /entities/{entity}/runs/{run}/logs': failing,
  })
  expect(responses[logs]).toEqual({ status: 409, body: { message: 'Access denied.' } })
  expect(responses['/about']).toEqual({ status: 200, body: { name: 'Longshore', referencePath: null } })
  await expect(recordResponses({ ...routes, 'GET /overview': failing })).rejects.toThrow('Access denied.')
})
