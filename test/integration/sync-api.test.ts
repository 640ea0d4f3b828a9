import { gunzipSync } from 'node:zlib'
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createChangeSetStore } from '../../functions/state/changes/change-sets.aws.ts'
import { itemVersion } from '../../functions/state/item-version.ts'
import type { Manifest } from '../../functions/state/snapshots/manifest.ts'
import { createTableStore } from '../../functions/state/tables/tables.aws.ts'
import { createLinkSigner } from '../../functions/sync-api/published/links.aws.ts'
import { createResponders } from '../../functions/sync-api/responders.ts'
import { createSyncApi } from '../../functions/sync-api/sync-api.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { onScroll } from '../../local/stand-in/faults.ts'
import { type Platform, startPlatform } from '../../local/stand-in/platform.ts'
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

/** The routes with the real stores. Starts and stops of executions are recorded. */
function api({ startFails = false, manifests }: ApiChange = {}) {
  const inside = syncWorld({ stores, platform }, [
    entitySettings('CL'),
    entitySettings('AD', { enabled: false }),
  ])
  const started: { name: string; input: unknown }[] = []
  const stopped: string[] = []
  const response = createSyncApi(
    createResponders({
      ...inside.world,
      ...(manifests && {
        snapshots: {
          ...inside.world.snapshots,
          readManifest: async (_: string, runId: string) => manifests[runId] as Manifest | undefined,
        },
      }),
      changes: createChangeSetStore(stores.bucket, stores.s3),
      tables: createTableStore(stores.bucket, stores.s3),
      signLinks: createLinkSigner(stores.bucket, stores.s3),
      executions: {
        arnOf: async (name) => `arn:execution:${name}`,
        start: async (name, input) => {
          if (startFails) throw new Error('Step Functions is unavailable')
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
      rawQueryString: '',
      headers: {},
      requestContext: { requestId: 'r', domainName: 'api.example.com', stage: '$default' },
      isBase64Encoded: false,
      ...more,
    } as unknown as APIGatewayProxyEventV2
    const { statusCode, body = '', headers, isBase64Encoded } = await response(event)
    const text = isBase64Encoded ? gunzipSync(Buffer.from(body, 'base64')).toString() : body
    return { status: statusCode, headers, body: JSON.parse(text) }
  }
  const start = (entity: string, body?: string) => call('POST /syncs/{entity}', { entity }, { body })
  /** Runs the worker for a started run, as its execution does. */
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

/** Starts a run of CL that waits for its fifth page. Returns its id. */
async function startThrottled({ start, started, callWorker, request }: ReturnType<typeof api>) {
  platform.faults.add({
    match: onScroll({ page: 5 }),
    fault: { kind: 'status', status: 429, headers: { 'retry-after': '600' } },
  })
  await start('CL')
  const runId = started[0]?.name ?? ''
  await callWorker(request('CL', { runId }))
  return runId
}

interface ApiChange {
  readonly startFails?: boolean
  /** In place of those in the bucket. */
  readonly manifests?: Readonly<Record<string, Partial<Manifest>>>
}

const oneRun = 'GET /syncs/{entity}/runs/{runId}'

describe('POST /syncs/{entity}', () => {
  it('starts a run that can be read from then on', async () => {
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

  it('answers 500 with the fix for a run that a newer release wrote', async () => {
    const { start, call } = api()
    const { runId } = (await start('CL')).body
    await stores.dynamodb.send(
      new UpdateItemCommand({
        TableName: stores.table,
        Key: { pk: { S: 'entity#CL' }, sk: { S: `run#${runId}` } },
        UpdateExpression: 'SET #version = :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':version': { N: String(itemVersion + 1) } },
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
    ['{"acceptDeletes": true}', { acceptDeletes: true }],
    ['{"acceptShrink": true, "acceptDeletes": true}', { acceptShrink: true, acceptDeletes: true }],
    [' ', {}],
  ])('accepts the body %s', async (body, input) => {
    const { start, started } = api()
    expect((await start('CL', body)).status).toBe(202)
    expect(started[0]?.input).toEqual({ entity: 'CL', runId: started[0]?.name, ...input })
  })

  it.each<[string, readonly (readonly [string, string])[]]>([
    ['{"acceptShrink": "yes"}', [['/acceptShrink', 'true or false']]],
    [
      '{"acceptDeletes": 1, "acceptShrink": null}',
      [
        ['/acceptDeletes', 'true or false'],
        ['/acceptShrink', 'true or false'],
      ],
    ],
    ['{"a/b": true}', [['/a~1b', 'acceptShrink or acceptDeletes or increment']]],
    ['[]', [['', 'a JSON object']]],
    ['null', [['', 'a JSON object']]],
    ['x', [['', 'a JSON object']]],
  ])('refuses the body %s and names each mistake', async (body, mistakes) => {
    const { start, started } = api()
    const errors = mistakes.map(([pointer, expected]) => ({ pointer, expected }))
    expect(await start('CL', body)).toMatchObject({
      status: 400,
      headers: { 'content-type': 'application/problem+json' },
      body: {
        type: 'urn:longshore:problem:invalid-request',
        detail: expect.stringContaining('acceptShrink'),
        pointer: errors[0]?.pointer,
        errors,
      },
    })
    expect(started).toEqual([])
  })

  it('answers 409 with the running run until it has ended', async () => {
    const { start, drive } = api()
    const first = await start('CL')
    expect(await start('CL')).toMatchObject({
      status: 409,
      body: { runId: first.body.runId, statusUrl: first.body.statusUrl, status: 409 },
    })
    expect((await start('AD')).status).toBe(202)
    await drive()
    expect((await start('CL')).status).toBe(202)
  })

  it('starts one run for concurrent requests', async () => {
    const { start } = api()
    const statuses = (await Promise.all([start('CL'), start('CL'), start('CL')])).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([202, 409, 409])
  })

  it('answers 404 for an entity that is not configured, and names the configured ones', async () => {
    expect(await api().start('ZZ')).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('CL, AD') },
    })
  })

  it('leaves no running run if the state machine cannot be started', async () => {
    const broken = await api({ startFails: true }).start('CL')
    expect(broken).toMatchObject({ status: 500, body: { type: 'urn:longshore:problem:internal-error' } })
    expect(JSON.stringify(broken)).not.toContain('unavailable')
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
      expect(await callWorker(request('CL', { execution: `arn:execution:${start}` }))).toMatchObject({
        status: 'skipped',
      })
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

  it('cancels a run: its execution and its worker stop, and nothing is published', async () => {
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

  it('prevents a worker in the middle of a scroll from publishing', async () => {
    const { start, call, drive } = api()
    const { body } = await start('CL')
    platform.faults.add({ match: onScroll({ page: 8 }), fault: { kind: 'slow', beforeHeadersMs: 300 } })
    const driven = drive()
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect((await call(cancel, { entity: 'CL', runId: body.runId })).status).toBe(202)
    expect(await driven).toMatchObject({ status: 'cancelled' })
    expect((await call('GET /syncs/{entity}/snapshot', { entity: 'CL' })).status).toBe(404)
  })

  it('releases the slot even if the worker takes it at that moment', async () => {
    const { start, call, callWorker, request, world, now } = api()
    const { body } = await start('CL')
    const takeSlot: typeof world.state.takeSlot = async (...asked) => {
      expect((await call(cancel, { entity: 'CL', runId: body.runId })).status).toBe(202)
      return world.state.takeSlot(...asked)
    }
    const using = { ...world, state: { ...world.state, takeSlot } }
    const response = await callWorker(request('CL', { runId: body.runId }), { using })
    expect(response).toMatchObject({ status: 'cancelled' })
    expect(await world.state.takeSlot('another run', 1, { now: now(), until: now() })).toBe(true)
  })

  it.each(['putManifest', 'moveLatest', 'deleteKeys'] as const)(
    'is a 409 while the run is being published (at %s), and the snapshot stays complete',
    async (method) => {
      const { start, call, callWorker, request, world, snapshot } = api()
      const { body } = await start('CL')
      const parameters = { entity: 'CL', runId: body.runId }
      const responses: object[] = []
      const real = world.snapshots[method] as (...args: unknown[]) => Promise<unknown>
      const cancelled = async (...args: unknown[]) => {
        responses.push(await call(cancel, parameters))
        return real(...args)
      }
      const using = { ...world, snapshots: { ...world.snapshots, [method]: cancelled } }
      const asked = request('CL', { runId: body.runId })
      expect(await callWorker(asked, { using })).toMatchObject({ status: 'published', runId: body.runId })
      expect(responses[0]).toMatchObject({
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
  it('is the manifest with a link to each page that works without credentials', async () => {
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
  ])('is compressed if the caller accepts it: %j', async (headers, coding) => {
    const { start, call, drive } = api()
    await start('CL')
    await drive()
    const response = await call('GET /syncs/{entity}/snapshot', { entity: 'CL' }, { headers })
    expect(response.headers?.['content-encoding']).toBe(coding)
    expect(response.headers?.['vary']).toBe('accept-encoding')
    expect(response.body).toMatchObject({ documents: 95 })
  })

  describe('of more than 1,000 pages', () => {
    const pages = Array.from({ length: 2_500 }, (_, index) => ({
      key: `snapshots/CL/${index}`,
      documents: 1,
      bytes: 1,
      sha256: 'a'.repeat(64),
    }))
    const runId = '20260301T060000000Z-0123456789ab'
    const newerRunId = '20260302T060000000Z-0123456789ab'
    const read = async (api: ReturnType<typeof openApi>, query = '') =>
      api.call('GET /syncs/{entity}/snapshot', { entity: 'CL' }, { rawQueryString: query })
    const openApi = () =>
      api({ manifests: { [runId]: { runId, pages }, [newerRunId]: { runId: newerRunId, pages: [] } } })
    const publish = (api: ReturnType<typeof openApi>, id: string) =>
      api.world.state.setLatest('CL', { runId: id, manifest: '', publishedAt: '', documents: 1 })

    it('has 1,000 pages in each response and the URL of the next', async () => {
      const opened = openApi()
      await publish(opened, runId)
      const keys: string[] = []
      const next: (string | undefined)[] = []
      let url: URL | undefined = new URL('https://api.example.com/base/syncs/CL/snapshot')
      for (let responses = 0; url && responses < 5; responses++) {
        const { status, body } = await read(opened, url.search.slice(1))
        expect(status).toBe(200)
        expect(body.pages.length).toBeLessThanOrEqual(1_000)
        keys.push(...body.pages.map((page: { key: string }) => page.key))
        next.push(body.next)
        url = body.next === undefined ? undefined : new URL(body.next, url)
        // A publication in between changes nothing.
        await publish(opened, newerRunId)
      }
      expect(keys).toEqual(pages.map(({ key }) => key))
      expect(next).toEqual([`?cursor=${runId}.1000`, `?cursor=${runId}.2000`, undefined])
    })

    it('is a 404 if the snapshot of the cursor is gone', async () => {
      const { status, body } = await read(openApi(), 'cursor=20250101T000000000Z-0123456789ab.1000')
      expect(status).toBe(404)
      expect(body.detail).toContain('Start again without a cursor')
    })

    it.each([
      'cursor=',
      'cursor=x',
      `cursor=${runId}`,
      `cursor=${runId}.-1`,
      `cursor=${runId}.1&cursor=${runId}.2`,
    ])('is a 400 for the query %s', async (query) => {
      expect(await read(openApi(), query)).toMatchObject({ status: 400, body: { parameter: 'cursor' } })
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

it('answers 404 for an unknown route', async () => {
  expect((await api().call('PUT /syncs')).status).toBe(404)
})
