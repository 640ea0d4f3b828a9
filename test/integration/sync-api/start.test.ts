import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import { itemVersion } from '../../../functions/state/item-version.ts'
import { api, oneRun, prepareSyncApi, stores } from './routes-testbed.ts'

prepareSyncApi()

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

  it('responds with 500 and the fix for a run that a newer release wrote', async () => {
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
    // Some generated clients send it where they have no body.
    ['null', {}],
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
    ['x', [['', 'a JSON object']]],
  ])('refuses the body %s and names each error', async (body, named) => {
    const { start, started } = api()
    const errors = named.map(([pointer, expected]) => ({ pointer, expected }))
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

  it('responds with 409 and the running run until it has ended', async () => {
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

  it('responds with 404 for an entity that is not configured, and names the configured ones', async () => {
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
