import { gunzipSync } from 'node:zlib'
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { signLinks } from '../../functions/sync-api/links.aws.ts'
import { createSyncApi } from '../../functions/sync-api/sync-api.ts'
import { createSyncs } from '../../functions/sync-api/syncs.ts'
import { makeDocuments } from '../../local/platform/documents.ts'
import { onScroll } from '../../local/platform/faults.ts'
import { type Platform, startPlatform } from '../../local/platform/platform.ts'
import { type EmbeddedStores, startEmbeddedStores, withFreshTable } from './embedded-stores.ts'
import { entitySettings, syncWorld } from './sync-world.ts'

let embedded: EmbeddedStores
let stores: EmbeddedStores
let platform: Platform

beforeAll(async () => {
  embedded = await startEmbeddedStores()
})
afterAll(() => embedded.close())
beforeEach(async () => {
  stores = await withFreshTable(embedded)
  platform = await startPlatform({ documents: { CL: makeDocuments(95), AD: makeDocuments(5) } })
})
afterEach(async () => {
  await Promise.all([platform.close(), stores.close()])
})

/** The routes with the real stores; what would be started and stopped in Step Functions is noted. */
function api({ startFails = false } = {}) {
  const inside = syncWorld({ stores, platform }, [
    entitySettings('CL'),
    entitySettings('AD', { enabled: false }),
  ])
  const started: { name: string; input: unknown }[] = []
  const stopped: string[] = []
  const answer = createSyncApi(
    createSyncs({
      ...inside.world,
      signLink: signLinks(stores.bucket, stores.s3),
      executions: {
        arnOf: async (name) => `arn:execution:${name}`,
        start: async (name, input) => {
          if (startFails) throw new Error('Step Functions is away')
          started.push({ name, input })
        },
        stop: async (arn) => void stopped.push(arn),
      },
    }),
  )
  const call = async (route: string, parameters: Record<string, string> = {}, more: object = {}) => {
    const event = {
      routeKey: route,
      pathParameters: parameters,
      headers: {},
      requestContext: { requestId: 'r', domainName: 'api.example.com', stage: '$default' },
      isBase64Encoded: false,
      ...more,
    } as unknown as APIGatewayProxyEventV2
    const { statusCode, body = '', headers, isBase64Encoded } = await answer(event)
    const text = isBase64Encoded ? gunzipSync(Buffer.from(body, 'base64')).toString() : body
    return { status: statusCode, headers, body: JSON.parse(text) }
  }
  const start = (entity: string, body?: string) => call('POST /syncs/{entity}', { entity }, { body })
  /** Works on a started run as its execution would. */
  const drive = (index = 0, steps = 100) => {
    const input = started[index]?.input as { entity: string; runId: string; acceptShrink?: boolean }
    return inside.sync(input.entity, {
      request: inside.request(input.entity, {
        runId: input.runId,
        acceptShrink: input.acceptShrink ?? false,
      }),
      steps,
    })
  }
  return { ...inside, call, start, started, stopped, drive }
}

const oneRun = 'GET /syncs/{entity}/runs/{runId}'

describe('POST /syncs/{entity}', () => {
  it('starts a run that can be looked at from then on', async () => {
    const { start, call, started, drive } = api()
    const { status, body } = await start('CL')
    expect(status).toBe(202)
    expect(body).toEqual({
      runId: expect.stringMatching(/^\d{8}T\d{9}Z-[0-9a-f]{12}$/),
      entity: 'CL',
      statusUrl: `https://api.example.com/syncs/CL/runs/${body.runId}`,
    })
    expect(started).toEqual([{ name: body.runId, input: { entity: 'CL', runId: body.runId } }])
    const parameters = { entity: 'CL', runId: body.runId }
    expect((await call(oneRun, parameters)).body).toMatchObject({
      status: 'running',
      documents: 0,
      attempt: 1,
    })
    expect(await drive()).toMatchObject({ status: 'published', runId: body.runId, suspect: false })
    expect((await call(oneRun, parameters)).body).toMatchObject({
      runId: body.runId,
      entity: 'CL',
      status: 'published',
      documents: 95,
      total: 95,
      percent: 100,
      pages: 10,
      attempt: 1,
      suspect: false,
      reason: null,
      proof: 'exact',
    })
  })

  it('says what to do about a run that a newer release wrote', async () => {
    const { start, call } = api()
    const { runId } = (await start('CL')).body
    await stores.dynamodb.send(
      new UpdateItemCommand({
        TableName: stores.table,
        Key: { pk: { S: 'entity#CL' }, sk: { S: `run#${runId}` } },
        UpdateExpression: 'SET #version = :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':version': { N: '2' } },
      }),
    )
    expect(await call(oneRun, { entity: 'CL', runId })).toMatchObject({
      status: 500,
      headers: { 'content-type': 'application/problem+json' },
      body: { detail: expect.stringContaining('deploy the release that wrote it') },
    })
  })

  it.each([
    ['{"acceptShrink": true}', { acceptShrink: true }],
    ['{"acceptShrink": false}', {}],
    ['{}', {}],
    [' ', {}],
  ])('takes the body %s', async (body, input) => {
    const { start, started } = api()
    expect((await start('CL', body)).status).toBe(202)
    expect(started[0]?.input).toEqual({ entity: 'CL', runId: started[0]?.name, ...input })
  })

  it.each(['{"acceptShrink": "yes"}', '{"force": true}', '[]', 'null', 'x'])(
    'refuses the body %s',
    async (body) => {
      const { start, started } = api()
      expect(await start('CL', body)).toMatchObject({
        status: 400,
        headers: { 'content-type': 'application/problem+json' },
        body: {
          type: 'urn:longshore:problem:invalid-request',
          detail: expect.stringContaining('acceptShrink'),
        },
      })
      expect(started).toEqual([])
    },
  )

  it('answers 409 with the run that is under way, until it has ended', async () => {
    const { start, drive } = api()
    const first = await start('CL')
    expect(await start('CL')).toMatchObject({ status: 409, body: { runId: first.body.runId, status: 409 } })
    expect((await start('AD')).status).toBe(202)
    await drive()
    expect((await start('CL')).status).toBe(202)
  })

  it('of two starts at once one wins', async () => {
    const { start } = api()
    const statuses = (await Promise.all([start('CL'), start('CL'), start('CL')])).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([202, 409, 409])
  })

  it('answers 404 for an entity that is not configured, and names those that are', async () => {
    expect(await api().start('ZZ')).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('CL, AD') },
    })
  })

  it('leaves nothing running when the state machine cannot be started', async () => {
    const broken = await api({ startFails: true }).start('CL')
    expect(broken).toMatchObject({ status: 500, body: { type: 'urn:longshore:problem:internal-error' } })
    expect(JSON.stringify(broken)).not.toContain('away')
    expect((await api().start('CL')).status).toBe(202)
  })
})

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

  it('shows the progress of a run from its committed pages', async () => {
    const { start, call, started, callWorker, request } = api()
    platform.faults.add({
      match: onScroll({ page: 5 }),
      fault: { kind: 'status', status: 429, headers: { 'retry-after': '600' } },
    })
    await start('CL')
    const runId = started[0]?.name ?? ''
    await callWorker(request('CL', { runId }))
    expect((await call(oneRun, { entity: 'CL', runId })).body).toMatchObject({
      status: 'waiting',
      documents: 40,
      total: 95,
      percent: 42,
      pages: 4,
      reason: expect.stringContaining('429'),
    })
  })

  it('shows the run that goes on, however many starts were skipped since', async () => {
    const { start, started, callWorker, request, call } = api()
    platform.faults.add({
      match: onScroll({ page: 5 }),
      fault: { kind: 'status', status: 429, headers: { 'retry-after': '600' } },
    })
    await start('CL')
    const runId = started[0]?.name ?? ''
    await callWorker(request('CL', { runId }))
    for (let start = 0; start < 12; start++) {
      const execution = { id: `arn:execution:${start}`, startedAt: Date.now() + start }
      expect(await callWorker(request('CL', { execution }))).toMatchObject({ status: 'skipped' })
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

describe('DELETE /syncs/{entity}/runs/{runId}', () => {
  const cancel = 'DELETE /syncs/{entity}/runs/{runId}'

  it('cancels a run: its execution is stopped, its worker stops, nothing is published', async () => {
    const { start, call, drive, stopped } = api()
    const { body } = await start('CL')
    const parameters = { entity: 'CL', runId: body.runId }
    expect(await call(cancel, parameters)).toMatchObject({ status: 202, body: { status: 'cancelled' } })
    expect(stopped).toEqual([`arn:execution:${body.runId}`])
    expect(await drive()).toMatchObject({ status: 'cancelled' })
    expect(platform.requests).toHaveLength(0)
    expect((await call('GET /syncs/{entity}/snapshot', { entity: 'CL' })).status).toBe(404)
    expect((await start('CL')).status).toBe(202)
  })

  it('a worker in the middle of a scroll publishes nothing after it', async () => {
    const { start, call, drive } = api()
    const { body } = await start('CL')
    platform.faults.add({ match: onScroll({ page: 8 }), fault: { kind: 'slow', beforeHeadersMs: 300 } })
    const driven = drive()
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect((await call(cancel, { entity: 'CL', runId: body.runId })).status).toBe(202)
    expect(await driven).toMatchObject({ status: 'cancelled' })
    expect((await call('GET /syncs/{entity}/snapshot', { entity: 'CL' })).status).toBe(404)
  })

  it('leaves no place taken, even if its worker takes it at that moment', async () => {
    const { start, call, callWorker, request, world, now } = api()
    const { body } = await start('CL')
    const takeSlot: typeof world.state.takeSlot = async (...asked) => {
      expect((await call(cancel, { entity: 'CL', runId: body.runId })).status).toBe(202)
      return world.state.takeSlot(...asked)
    }
    const using = { ...world, state: { ...world.state, takeSlot } }
    const answer = await callWorker(request('CL', { runId: body.runId }), { using })
    expect(answer).toMatchObject({ status: 'cancelled' })
    expect(await world.state.takeSlot('another run', 1, { now: now(), until: now() })).toBe(true)
  })

  it.each(['putManifest', 'moveLatest', 'deleteKeys'] as const)(
    'is a 409 while the run is being published (at %s), and the snapshot stays whole',
    async (method) => {
      const { start, call, callWorker, request, world, snapshot } = api()
      const { body } = await start('CL')
      const parameters = { entity: 'CL', runId: body.runId }
      const answers: object[] = []
      const real = world.snapshots[method] as (...args: unknown[]) => Promise<unknown>
      const cancelled = async (...args: unknown[]) => {
        answers.push(await call(cancel, parameters))
        return real(...args)
      }
      const using = { ...world, snapshots: { ...world.snapshots, [method]: cancelled } }
      const asked = request('CL', { runId: body.runId })
      expect(await callWorker(asked, { using })).toMatchObject({ status: 'published', runId: body.runId })
      expect(answers[0]).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining('published') },
      })
      expect((await call(oneRun, parameters)).body).toMatchObject({ status: 'published', proof: 'exact' })
      expect((await snapshot('CL')).lines).toHaveLength(95)
    },
  )

  it('is a 409 once the run has ended', async () => {
    const { start, call, drive } = api()
    const { body } = await start('CL')
    await drive()
    expect(await call(cancel, { entity: 'CL', runId: body.runId })).toMatchObject({
      status: 409,
      body: { type: 'urn:longshore:problem:run-ended' },
    })
  })
})

describe('GET /syncs/{entity}/snapshot', () => {
  it('is the manifest with a link to each page that works without any identity', async () => {
    const { start, call, drive } = api()
    await start('CL')
    await drive()
    const { body } = await call('GET /syncs/{entity}/snapshot', { entity: 'CL' })
    expect(body).toMatchObject({ version: 1, entity: 'CL', documents: 95, proof: 'exact' })
    const lines: string[] = []
    for (const { link, documents } of body.pages) {
      expect(link).toContain('X-Amz-Expires=900')
      const page = gunzipSync(await (await fetch(link)).bytes())
        .toString()
        .trimEnd()
        .split('\n')
      expect(page).toHaveLength(documents)
      lines.push(...page)
    }
    expect(lines).toEqual((platform.documents.get('CL') as Buffer[]).map(String))
  })

  it.each([
    [{ 'accept-encoding': 'gzip' }, 'gzip'],
    [{ 'accept-encoding': 'gzip;q=0' }, undefined],
    [{}, undefined],
  ])('goes by what the caller accepts: %j', async (headers, coding) => {
    const { start, call, drive } = api()
    await start('CL')
    await drive()
    const answer = await call('GET /syncs/{entity}/snapshot', { entity: 'CL' }, { headers })
    expect(answer.headers?.['content-encoding']).toBe(coding)
    expect(answer.headers?.['vary']).toBe('accept-encoding')
    expect(answer.body).toMatchObject({ documents: 95 })
  })
})

it('an unknown route is a 404 of ours', async () => {
  expect((await api().call('PUT /syncs')).status).toBe(404)
})
