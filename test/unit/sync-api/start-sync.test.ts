import { beforeEach, describe, expect, it } from 'vitest'
import { skipped } from '../../../stored/run/run-changes.ts'
import { timeOfRunId } from '../../../stored/run/run-id.ts'
import type { Latest } from '../../../stored/snapshots/manifest.ts'
import { SyncApiTestbed } from './sync-api-testbed.ts'

const end = { reason: 'Why.', progress: { documents: 0, pages: 0, total: undefined, rangeProgress: [] } }
let testbed: SyncApiTestbed

beforeEach(() => {
  testbed = new SyncApiTestbed()
})

describe('POST /syncs/{entity}', () => {
  it('starts an execution and returns its run, which can be read from then on', async () => {
    const { status, headers, body } = await testbed.start()
    expect(status).toBe(202)
    expect(headers).toEqual({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    expect(body).toEqual({
      runId: expect.stringMatching(/^20260301T060000000Z-[0-9a-f]{12}$/),
      entity: 'CL',
      statusUrl: `https://api.example.com/syncs/CL/runs/${body.runId}`,
    })
    expect(testbed.started).toEqual([{ name: body.runId, input: { entity: 'CL', runId: body.runId } }])
    expect((await testbed.readRun(body.runId)).body).toMatchObject({ status: 'running', attempt: 1 })
    expect(await testbed.state.readRun('CL', body.runId)).toMatchObject({
      execution: `arn:execution:${body.runId}`,
      acceptShrink: false,
      startedAt: '2026-03-01T06:00:00.000Z',
    })
  })

  it('leases the entity to the run, for the worker that the state machine invokes', async () => {
    const { body } = await testbed.start()
    expect((await testbed.state.readEntity('CL')).lease).toEqual({
      runId: body.runId,
      worker: `start#${body.runId}`,
      until: testbed.now + 5 * 60_000,
      handedOff: true,
      direct: false,
    })
  })

  it.each<[string, object, string]>([
    ['the host of the request', {}, 'https://api.example.com/syncs/C%20L/runs/'],
    [
      'the protocol of the request',
      { headers: { 'x-forwarded-proto': 'http' } },
      'http://api.example.com/syncs/C%20L/runs/',
    ],
    [
      'the stage of the API',
      { requestContext: { requestId: 'r', domainName: 'api.example.com', stage: 'test' } },
      'https://api.example.com/test/syncs/C%20L/runs/',
    ],
  ])('returns a URL of the run with %s', async (_, change, prefix) => {
    testbed.entities = testbed.entities.map((entity) => ({ ...entity, name: 'C L' }))
    const { body } = await testbed.call('POST /syncs/{entity}', { entity: 'C L' }, change)
    expect(body.statusUrl).toBe(`${prefix}${body.runId}`)
  })

  it('is a 409 with the running run, and how to continue', async () => {
    const { runId, statusUrl } = (await testbed.start()).body
    expect(await testbed.start()).toMatchObject({
      status: 409,
      body: {
        type: 'urn:longshore:problem:sync-running',
        detail: 'Wait until it ends, or cancel it by sending DELETE to its statusUrl.',
        runId,
        statusUrl,
      },
    })
    expect(testbed.started).toHaveLength(1)
  })

  it('starts a run after one that has ended without releasing its lease', async () => {
    const { runId } = testbed.runAt(-5)
    await testbed.state.createRun(skipped(testbed.runAt(-5), { ...end, now: testbed.now }))
    await testbed.lease(runId)
    expect((await testbed.start()).status).toBe(202)
  })

  it('is a 404 for an entity that is not configured, and names the configured ones', async () => {
    expect(await testbed.start('ZZ')).toMatchObject({
      status: 404,
      body: { detail: "The entity 'ZZ' is not configured. Configured entities: CL, AD." },
    })
    testbed.entities = []
    expect(await testbed.start('CL')).toMatchObject({
      status: 404,
      body: { detail: "The entity 'CL' is not configured. Configured entities: none." },
    })
    expect((await testbed.call('POST /syncs/{entity}', {}, { pathParameters: undefined })).status).toBe(404)
  })

  it('ends the run and releases the entity if the state machine cannot be started', async () => {
    testbed.stateMachineError = new Error('Step Functions is unavailable')
    expect(await testbed.start()).toMatchObject({
      status: 500,
      body: { type: 'urn:longshore:problem:internal-error' },
    })
    expect((await testbed.readSync()).body.runs).toMatchObject([
      { status: 'failed', reason: 'The state machine could not be started. Start the sync again.' },
    ])
    testbed.stateMachineError = undefined
    expect((await testbed.start()).status).toBe(202)
  })
})

it.each(['snapshot', 'recent run', 'increment'])(
  'a run has a later id than the last %s, although the clock of its caller is behind',
  async (known) => {
    const { runId } = testbed.runAt(1)
    if (known === 'recent run') await testbed.lease(runId)
    if (known === 'recent run') await testbed.state.release('CL', runId)
    if (known === 'snapshot') await testbed.state.setLatest('CL', { runId } as Latest)
    const last = { runId, status: 'published', reason: null, endedAt: '' } as const
    if (known === 'increment') await testbed.state.setIncrements('CL', { last, records: {} })
    const job = { kind: 'full', acceptShrink: false, acceptDeletes: false } as const
    const started = await testbed.syncs().start('CL', job)
    expect(started.runId > runId).toBe(true)
    expect(timeOfRunId(started.runId)).toBe(timeOfRunId(runId) + 1)
    expect(await testbed.state.readRun('CL', started.runId)).toMatchObject({
      startedAt: new Date(timeOfRunId(started.runId)).toISOString(),
    })
  },
)

it('a republication is started like a full sync', async () => {
  const of = testbed.runAt(-60).runId
  const job = { kind: 'republish', from: of, acceptShrink: true, acceptDeletes: true } as const
  const { kind, runId } = await testbed.syncs().start('CL', job)
  expect(kind).toBe('started')
  const guards = { acceptShrink: true, acceptDeletes: true }
  const input = { entity: 'CL', runId, ...guards, republish: { runId: of } }
  expect(testbed.started).toEqual([{ name: runId, input }])
  expect(await testbed.state.readRun('CL', runId)).toMatchObject({
    kind: 'republication',
    republishedFrom: of,
    acceptShrink: true,
    execution: `arn:execution:${runId}`,
  })
  expect(await testbed.syncs().start('CL', job)).toEqual({ kind: 'already-running', runId })
})

describe('POST /syncs/{entity} for an increment', () => {
  const startIncrement = () => testbed.start('CL', '{"increment": true}')

  beforeEach(() => {
    const increments = { schedule: 'rate(5 minutes)', lookbackMinutes: 15 }
    testbed.entities = testbed.entities.map((entity) => ({ ...entity, increments }))
  })

  it('starts a run that is found as the one in progress until it is cancelled', async () => {
    const { runId } = (await startIncrement()).body
    expect(await testbed.syncs().readRunning('CL')).toEqual({ runId, hasItem: true })
    expect(await testbed.cancel(runId)).toMatchObject({ status: 202, body: { status: 'cancelled' } })
    expect(await testbed.syncs().readRunning('CL')).toBeNull()
  })

  it('starts an execution that runs one', async () => {
    const { status, body } = await startIncrement()
    expect(status).toBe(202)
    const input = { entity: 'CL', runId: body.runId, increment: true }
    expect(testbed.started).toEqual([{ name: body.runId, input }])
    expect((await testbed.readRun(body.runId)).body).toMatchObject({ kind: 'increment', status: 'running' })
  })

  it('is refused without a configuration, and starts nothing', async () => {
    testbed.entities = testbed.entities.map((entity) => ({ ...entity, increments: undefined }))
    expect(await startIncrement()).toMatchObject({
      status: 400,
      body: {
        type: 'urn:longshore:problem:invalid-request',
        detail:
          'Increments are not configured for CL. Set increments for it in the configuration and deploy.',
        pointer: '/increment',
      },
    })
    expect(testbed.started).toEqual([])
  })

  it.each([
    ['a full sync', () => testbed.start()],
    ['another increment', startIncrement],
  ])('is refused with 409 during %s', async (_, startOther) => {
    const { runId, statusUrl } = (await startOther()).body
    expect(await startIncrement()).toMatchObject({
      status: 409,
      body: { type: 'urn:longshore:problem:sync-running', runId, statusUrl },
    })
    expect(testbed.started).toHaveLength(1)
  })

  it('gives way to a full sync, which starts at once', async () => {
    await startIncrement()
    const { status, body } = await testbed.start()
    expect(status).toBe(202)
    expect((await testbed.state.readEntity('CL')).lease?.runId).toBe(body.runId)
  })
})

it('an increment that a schedule started is in progress as long as its lease lasts', async () => {
  const until = testbed.now + 60_000
  const lease = {
    kind: 'increment',
    runId: 'r',
    worker: 'w',
    until,
    handedOff: false,
    direct: false,
  } as const
  await testbed.state.claimLease('CL', {}, { lease, abandonedRuns: [] })
  expect(await testbed.syncs().readRunning('CL')).toEqual({ runId: 'r', hasItem: false })
  testbed.now = until
  expect(await testbed.syncs().readRunning('CL')).toBeNull()
})
