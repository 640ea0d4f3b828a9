import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import type { HealthResponse } from '../../../../console/contract/health.ts'
import type { EntityResponse, OverviewResponse } from '../../../../console/contract/overview.ts'
import { consoleApiRoutes } from '../../../../console/server/api.ts'
import type { ApiContext } from '../../../../console/server/context.ts'
import { respondToRoute } from '../../../../console/server/routes.ts'
import { createLookStore } from '../../../../functions/problems/look-items.ts'
import { awsClients } from '../../../../operator/aws/clients.aws.ts'
import { openState } from '../../../../operator/sync/syncs.ts'
import { connectTable } from '../../../../stored/dynamodb/connect.aws.ts'
import { openTable } from '../../../../stored/dynamodb/state-table.ts'
import { openObjects } from '../../../../stored/objects.aws.ts'
import { useStores } from '../../../embedded-bucket.ts'
import { entityNamed } from '../../../entity-named.ts'

useStores('bucket', 'table')

/** The API of an entity without change sets, whose sync is running until it is cancelled. */
function api(kind: 'local' | 'stacks' = 'local', problems: readonly object[] = []) {
  const entities = [entityNamed('CL', { changes: false })]
  let inspections = 0
  let running: object | null = { runId: 'r' }
  const routes = consoleApiRoutes({
    deployment: {
      kind,
      configuration: { name: 'Longshore', credentials: {}, entities },
      bucket: 'bucket',
      table: 'table',
      stateMachineArn: 'arn:aws:states:eu-west-1:111122223333:stateMachine:sync',
      now: () => Date.parse('2026-11-21T12:00:00Z'),
    },
    syncs: {
      readWith: async () => ({ entity: 'CL', running, snapshot: null, runs: [] }),
      async cancel(entity: string, run: string) {
        running = null
        return { entity, run }
      },
    },
    target: () => ({ kind, path: 'instance.json' }),
    async inspect() {
      inspections++
      return { problems, findings: [] }
    },
  } as unknown as ApiContext)
  async function call<T>(method: string, path: string, body: object = {}): Promise<T> {
    const url = new URL(`http://console/console/api${path}`)
    return JSON.parse((await respondToRoute(routes, { method, url }, async () => body)).body as string) as T
  }
  return { call, inspections: () => inspections }
}

it('pauses an entity with what a person typed, and resumes it', async () => {
  const { call } = api()
  const pauseOf = async () => (await openState('table').readEntity('CL')).pause
  const pause = (body: object) => call('POST', '/entities/CL/pause', body)
  expect(await pause({ reason: ' moved ', until: '8h' })).toEqual({})
  const until = '2026-11-21T20:00:00.000Z'
  expect(await pauseOf()).toMatchObject({ reason: 'moved', since: '2026-11-21T12:00:00.000Z', until })
  expect(await call('POST', '/entities/CL/resume')).toEqual({})
  expect(await pauseOf()).toMatchObject({ until: '2026-11-21T12:00:00.000Z' })
  expect(await pause({ reason: '' })).toEqual({ message: 'The body is malformed.' })
  expect(await pause({ reason: '', until: 'tomorrow' })).toMatchObject({
    message: expect.stringContaining("'tomorrow' is not a time."),
  })
})

it('purges data only if the name of the entity was entered, and only of one that is not configured', async () => {
  const { call, inspections } = api()
  const objects = openObjects('bucket', awsClients.bucket())
  await objects.putGzip(
    'snapshots/OLD/20261121T120000000Z-0123456789ab/page-1.ndjson.gz',
    Buffer.from('x'),
    createHash('sha256').update('x').digest(),
  )
  expect(await call('GET', '/orphans/OLD')).toEqual({
    text: expect.stringMatching(/^This deletes no published snapshot; 1 object.*state table\.$/),
  })
  expect(await call('POST', '/orphans/OLD/purge', { name: 'old' })).toEqual({
    message: 'Enter OLD to delete its data.',
  })
  expect(await call('POST', '/orphans/OLD/purge', {})).toEqual({ message: 'The body is malformed.' })
  expect(await call('POST', '/orphans/OLD/purge', { name: 'OLD' })).toEqual({
    lines: [expect.stringMatching(/^Deleted the data of OLD: no published snapshot; 1 object/)],
  })
  // The problem of the orphan is one that only an inspection finds.
  expect(inspections()).toBe(1)
  expect(await call('GET', '/orphans/OLD')).toMatchObject({ message: 'No data of OLD is stored.' })
  expect(await call('POST', '/orphans/CL/purge', { name: 'CL' })).toMatchObject({
    message: expect.stringContaining('CL is configured'),
  })
})

it('verifies a snapshot, and says what is missing', async () => {
  const { call } = api()
  expect(await call('POST', '/entities/CL/verify', { repair: false })).toMatchObject({
    message: 'No snapshot of CL has been published.',
  })
  expect(await call('POST', '/entities/CL/verify', {})).toEqual({ message: 'The body is malformed.' })
})

it('shows a problem since the last look of the deployment found it first', async () => {
  const looks = createLookStore(connectTable('table', awsClients.table()))
  const [since, text] = ['2026-11-20T12:00:00.000Z', { evidence: 'None.', action: 'Start a sync.' }]
  const problem = { kind: 'no-snapshot', level: 'problem', entity: 'CL', since, id: 'id', ...text } as const
  const look = { problems: [problem], announced: [], problemsAt: since }
  await looks.writeLook({ ...look, last: await looks.readWholeLook(['CL']) })
  const { call } = api()
  const shown = [{ kind: 'no-snapshot', entities: ['CL'], since }]
  const overview = await call<OverviewResponse>('GET', '/overview')
  expect([overview.problems, overview.entities[0]?.problems]).toMatchObject([shown, shown])
  expect((await call<EntityResponse>('GET', '/entities/CL')).row.problems).toMatchObject(shown)
})

it('shows at once which function cannot wake a run and which receiver is away, also before an inspection', async () => {
  const table = openTable(connectTable('table', awsClients.table()))
  const since = '2026-11-21T11:00:00.000Z'
  const notWoken = { by: 'Worker', runId: 'r', reason: 'Denied.', since, until: Number.MAX_SAFE_INTEGER }
  const key = { pk: 'slots', sk: 'not-woken#Worker' }
  await table.put({ ...key, ...notWoken })
  const looks = createLookStore(connectTable('table', awsClients.table()))
  await looks.writeAlertFailures([{ receiver: 'alerts[0] (slack)', since, reason: 'It is away.' }])
  const problems = async () => (await api().call<OverviewResponse>('GET', '/overview')).problems
  expect(await problems()).toMatchObject([
    { kind: 'no-snapshot' },
    { kind: 'alert-failed', since, evidence: expect.stringContaining('It is away.') as string },
    { kind: 'waiting-not-woken', since },
  ])
  await table.remove(key, {})
  await looks.writeAlertFailures([])
  expect(await problems()).toMatchObject([{ kind: 'no-snapshot' }])
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

it('shows what the last inspection found with the problems of the overview, and of each entity its own', async () => {
  const found = { level: 'problem', since: null, evidence: 'Why.', action: 'Act.' }
  const ofEntity = (entity: string) => ({ ...found, kind: 'changes-without-snapshot', entity })
  const { call } = api('local', [{ ...found, kind: 'drift' }, ofEntity('CL'), ofEntity('AD')])
  const kindsOf = ({ problems }: { problems: readonly { kind: string; entities: readonly string[] }[] }) =>
    problems.map(({ kind, entities }) => [kind, ...entities].join(' '))
  const known = 'no-snapshot CL'
  const before = await call<OverviewResponse>('GET', '/overview')
  expect(kindsOf(before)).toEqual([known])
  await call('GET', '/health')
  const overview = await call<OverviewResponse>('GET', '/overview')
  expect(kindsOf(overview).toSorted()).toEqual([
    'changes-without-snapshot AD',
    'changes-without-snapshot CL',
    'drift',
    known,
  ])
  const { row } = await call<EntityResponse>('GET', '/entities/CL')
  expect(kindsOf(row).toSorted()).toEqual(['changes-without-snapshot CL', known])
})

it('shows the entities as they are after a run was cancelled', async () => {
  const { call } = api()
  expect(await call<OverviewResponse>('GET', '/overview')).toMatchObject({
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
