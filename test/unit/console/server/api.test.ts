import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { HealthResponse } from '../../../../console/contract/health.ts'
import type { OverviewResponse } from '../../../../console/contract/overview.ts'
import { type ApiContext, consoleApiRoutes } from '../../../../console/server/api.ts'
import { respondToRoute } from '../../../../console/server/routes.ts'
import { startDynamoDb } from '../../../../local/embedded/dynamodb.aws.ts'
import { awsEnvironment } from '../../../../local/embedded/environment.ts'
import { startS3 } from '../../../../local/embedded/s3.ts'
import { UsageError } from '../../../../operator/errors.ts'
import { entityNamed } from '../../../entity-named.ts'

let servers: Awaited<ReturnType<typeof startS3>>[]
beforeAll(async () => {
  const [s3, dynamoDb] = await Promise.all([startS3({ bucket: 'bucket' }), startDynamoDb({ table: 'table' })])
  servers = [s3, dynamoDb]
  const endpoints = { s3: s3.endpoint, dynamoDb: dynamoDb.endpoint }
  for (const [name, value] of Object.entries(awsEnvironment(endpoints))) vi.stubEnv(name, value)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await Promise.all(servers.map((server) => server.close()))
})

/** The API of an entity without change sets, whose sync is running until it is cancelled. */
function api(kind: 'local' | 'stacks' = 'local') {
  let inspections = 0
  let running: object | null = { runId: 'r' }
  const changes: unknown[][] = []
  const routes = consoleApiRoutes({
    deployment: {
      kind,
      configuration: { name: 'Longshore', entities: [entityNamed('CL', { changes: false })] },
      bucket: 'bucket',
      table: 'table',
      stateMachineArn: 'arn:aws:states:eu-west-1:111122223333:stateMachine:sync',
      now: () => Date.parse('2026-11-21T12:00:00Z'),
    },
    syncs: {
      read: async () => ({ entity: 'CL', running, snapshot: null, runs: [] }),
      async cancel(entity: string, run: string) {
        running = null
        return { entity, run }
      },
    },
    pause: async (...args: unknown[]) => {
      if ((args[1] as { until: string }).until === 'tomorrow') throw new UsageError('No time.')
      changes.push(['pause', ...args])
    },
    resume: async (...args: unknown[]) => void changes.push(['resume', ...args]),
    command: String,
    scheduleStateOf: () => ({ kind: 'unknown' }),
    async inspect() {
      inspections++
      return { problems: [], findings: [] }
    },
  } as unknown as ApiContext)
  async function call<T>(method: string, path: string, body: object = {}): Promise<T> {
    const url = new URL(`http://console/console/api${path}`)
    return JSON.parse((await respondToRoute(routes, { method, url }, async () => body)).body as string) as T
  }
  return { call, changes, inspections: () => inspections }
}

it('pauses an entity with what a person typed, and resumes it', async () => {
  const { call, changes } = api()
  const pause = (body: object) => call('POST', '/entities/CL/pause', body)
  expect(await pause({ reason: ' moved ', until: '06:00' })).toEqual({})
  expect(await call('POST', '/entities/CL/resume')).toEqual({})
  expect(changes).toEqual([
    ['pause', 'CL', { reason: 'moved', until: '06:00' }],
    ['resume', 'CL'],
  ])
  expect(await pause({ reason: '' })).toEqual({ message: 'The body is malformed.' })
  expect(await pause({ reason: '', until: 'tomorrow' })).toMatchObject({ message: 'No time.' })
  expect(changes).toHaveLength(2)
})

it('inspects the deployment again only on request', async () => {
  const { call, inspections } = api()
  expect(await call<HealthResponse>('GET', '/health')).toEqual({
    findings: [],
    alarms: null,
    checkedAt: '2026-11-21T12:00:00.000Z',
    isChecking: false,
  })
  await call('GET', '/health')
  expect(inspections()).toBe(1)
  await call('GET', '/health?again')
  expect(inspections()).toBe(2)
})

it('shows the entities as they are after a run was cancelled', async () => {
  const { call } = api()
  const before = await call<OverviewResponse>('GET', '/overview')
  expect(before).toMatchObject({
    name: 'Longshore',
    place: 'npm start on this machine',
    now: '2026-11-21T12:00:00.000Z',
    entities: [{ entity: 'CL', running: { runId: 'r' } }],
  })
  expect(await call('POST', '/entities/CL/runs/r/cancel')).toEqual({ entity: 'CL', run: 'r' })
  const after = await call<OverviewResponse>('GET', '/overview')
  expect(after.entities).toMatchObject([{ entity: 'CL', running: null }])
})

it.each([
  ['local', 'npm start on this machine'],
  ['stacks', 'account 111122223333, region eu-west-1'],
] as const)('the place of %s is %s', async (kind, place) => {
  expect(await api(kind).call('GET', '/overview')).toMatchObject({ place })
})
