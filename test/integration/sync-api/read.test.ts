import { describe, expect, it } from 'vitest'
import { api, oneRun, prepareSyncApi, startThrottled } from './routes-testbed.ts'

prepareSyncApi()

describe('GET below /syncs', () => {
  it('lists entities with schedule, running run and published snapshot', async () => {
    const { start, call, drive } = api()
    await start('CL')
    await drive()
    const { body: second } = await start('CL')
    const { body } = await call('GET /syncs')
    expect(body.entities).toMatchObject([
      {
        entity: 'CL',
        schedule: 'rate(1 day)',
        timezone: 'UTC',
        enabled: true,
        running: { runId: second.runId, status: 'running' },
        snapshot: { documents: 95, manifest: expect.stringMatching(/^snapshots\/CL\/.*\/manifest\.json$/) },
      },
      { entity: 'AD', enabled: false, running: null, snapshot: null, runs: [] },
    ])
    expect((await call('GET /syncs/{entity}', { entity: 'CL' })).body).toMatchObject(body.entities[0])
  })

  it('shows the progress of a run by its committed pages', async () => {
    const inside = api()
    const runId = await startThrottled(inside)
    const { call } = inside
    expect((await call(oneRun, { entity: 'CL', runId })).body).toMatchObject({
      status: 'waiting',
      documents: 40,
      total: 95,
      percent: 42,
      pages: 4,
      reason: expect.stringContaining('429'),
    })
  })

  it('shows the running run, however many starts were skipped since', async () => {
    const inside = api()
    const runId = await startThrottled(inside)
    const { callWorker, request, call } = inside
    for (let start = 0; start < 12; start++) {
      expect(await callWorker(request('CL'))).toMatchObject({ status: 'skipped' })
    }
    const { body } = await call('GET /syncs/{entity}', { entity: 'CL' })
    expect(body.runs).toHaveLength(10)
    expect(body.running).toMatchObject({ runId, status: 'waiting', documents: 40 })
  })

  it.each([
    ['GET /syncs/{entity}', { entity: 'ZZ' }],
    [oneRun, { entity: 'CL', runId: 'nothing' }],
    [oneRun, { entity: 'ZZ', runId: 'nothing' }],
    [oneRun, { entity: 'CL', runId: 'longer-than-a-key'.repeat(100) }],
    ['DELETE /syncs/{entity}/runs/{runId}', { entity: 'CL', runId: 'nothing' }],
    ['GET /syncs/{entity}/snapshot', { entity: 'CL' }],
  ])('%s of %o is a 404', async (route, parameters) => {
    expect(await api().call(route, parameters)).toMatchObject({
      status: 404,
      body: { type: 'urn:longshore:problem:not-found' },
    })
  })
})

it.each([
  'GET /syncs',
  'GET /syncs/{entity}',
  'POST /syncs/{entity}',
  oneRun,
  'DELETE /syncs/{entity}/runs/{runId}',
  'GET /syncs/{entity}/snapshot',
])('%s refuses a query parameter that is not listed', async (route) => {
  const response = await api().call(route, { entity: 'CL' }, { rawQueryString: 'limit=5' })
  expect(response).toMatchObject({ status: 400, body: { parameter: 'limit' } })
})

it('responds with 404 for an unknown route', async () => {
  expect((await api().call('PUT /syncs')).status).toBe(404)
})
