import { DeleteItemCommand, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { describe, expect, it } from 'vitest'
import { placeholder } from '../../functions/platform/areas.ts'
import { failed } from '../../functions/state/run/run-changes.ts'
import type { StepContext } from '../../functions/worker/context.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { onScroll } from '../../local/stand-in/faults.ts'
import { failureOf } from '../worker-requests.ts'
import { entity, platform, prepareEachSync, stores, world } from './sync-testbed.ts'
import { entitySettings, syncWorld } from './sync-world.ts'

prepareEachSync()

const day = 24 * 3_600_000
const scrolls = () => platform.requests.filter(({ kind }) => kind === 'scroll')

/** A context whose worker crashes at a call of the snapshot store. */
const crashingAt = (base: StepContext, method: keyof StepContext['snapshots']): StepContext => ({
  ...base,
  snapshots: { ...base.snapshots, [method]: () => Promise.reject(new Error('The worker crashed.')) },
})

/** Removes an item as its TTL does. */
const expire = (pk: string, sk: string) =>
  stores.dynamodb.send(
    new DeleteItemCommand({ TableName: stores.table, Key: { pk: { S: pk }, sk: { S: sk } } }),
  )

describe('credentials that are not set yet', () => {
  it('end a run as skipped, without an event', async () => {
    const { sync, secret, events, world: inside } = world()
    secret.value = { appKey: placeholder, appToken: placeholder }
    const response = await sync(entity)
    expect(response).toMatchObject({ status: 'skipped', reason: expect.stringContaining('not set yet') })
    expect(await inside.state.readRun(entity, response.runId ?? '')).toMatchObject({ status: 'skipped' })
    expect(events).toEqual([])
    expect(platform.requests).toEqual([])
  })
})

describe('a run that is older than the published snapshot', () => {
  it('fails before it sends a request', async () => {
    const { sync, callWorker, request } = world()
    const old = request(entity)
    await sync(entity)
    platform.requests.length = 0
    const runId = old.driver.runId.replace(/^\d{4}/, '2020')
    const response = await callWorker({ ...old, driver: { ...old.driver, runId } })
    expect(response).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/newer run .* published/),
    })
    expect(platform.requests).toEqual([])
  })
})

describe('a publication that is resumed', () => {
  it('fails if page items have expired since the proof', async () => {
    const { world: base, callWorker, request, sync, keys } = world()
    const asked = request(entity)
    await expect(callWorker(asked, { using: crashingAt(base, 'putManifest') })).rejects.toThrow('crashed')
    for (const page of ['000001', '000002']) await expire(`run#${asked.driver.runId}#1`, `page#${page}`)
    const response = await sync(entity, { request: asked })
    expect(response).toMatchObject({ status: 'failed', reason: expect.stringContaining('expired') })
    expect(await keys(entity)).not.toContain(`snapshots/${entity}/latest.json`)
  })

  it('uses its manifest if it was written before the page items expired', async () => {
    const { world: base, callWorker, request, sync, snapshot } = world()
    const asked = request(entity)
    await expect(callWorker(asked, { using: crashingAt(base, 'moveLatest') })).rejects.toThrow('crashed')
    await expire(`run#${asked.driver.runId}#1`, 'page#000001')
    expect(await sync(entity, { request: asked })).toMatchObject({ status: 'published', documents: 95 })
    expect((await snapshot(entity)).lines).toHaveLength(95)
  })

  it('by another run names the query and id field of the run that scrolled', async () => {
    const query = { _where: 'number>-1' }
    const before = world({ query })
    const asked = before.request(entity)
    const using = crashingAt(before.world, 'putManifest')
    await expect(before.callWorker(asked, { using })).rejects.toThrow('crashed')
    const after = world({ query: {}, idField: 'number' })
    after.passTime(6 * 60_000)
    platform.faults.add({ match: onScroll(), fault: { kind: 'status', status: 404 } })
    await after.sync(entity)
    expect((await after.snapshot(entity)).manifest).toMatchObject({
      runId: asked.driver.runId,
      query,
      idField: 'id',
    })
    expect(await after.world.state.readRun(entity, asked.driver.runId)).toMatchObject({
      status: 'published',
      abandoned: true,
    })
  })
})

describe('a lease', () => {
  it('that outlives the expired item of its run is taken over without a false report', async () => {
    const { world: base, callWorker, request, sync, passTime, events } = world()
    const asked = request(entity)
    const using = { ...base, state: { ...base.state, release: async () => {} } }
    expect(await callWorker(asked, { using })).toMatchObject({ status: 'published' })
    await expire(`entity#${entity}`, `run#${asked.driver.runId}`)
    passTime(31 * day)
    events.length = 0
    expect(await sync(entity)).toMatchObject({ status: 'published' })
    expect(events.map(({ type }) => type)).toEqual(['Snapshot Published'])
    expect(await base.state.readRun(entity, asked.driver.runId)).toBeUndefined()
  })

  it('and the slot of an entity that is no longer configured are released', async () => {
    platform.faults.add({
      match: onScroll({ page: 3 }),
      fault: { kind: 'status', status: 429, headers: { 'retry-after': '60' } },
    })
    const { callWorker, request, world: inside, now } = world()
    const asked = request(entity)
    expect(await callWorker(asked)).toMatchObject({ status: 'waiting' })
    const without = syncWorld({ stores, platform }, [entitySettings('AD')])
    expect(await without.callWorker(asked)).toMatchObject({ status: 'failed' })
    expect((await inside.state.readEntity(entity)).lease).toBeUndefined()
    expect(await inside.state.takeSlot('another run', 1, { now: now(), until: now() })).toBe(true)
  })

  it('of an entity that is no longer configured is released although its run was publishing', async () => {
    const { world: base, callWorker, request, snapshot } = world()
    const asked = request(entity)
    await expect(callWorker(asked, { using: crashingAt(base, 'moveTable') })).rejects.toThrow('crashed')
    const without = syncWorld({ stores, platform }, [entitySettings('AD')])
    // It had moved latest.json, so it has published.
    expect(await without.callWorker(asked)).toMatchObject({ status: 'published' })
    expect((await base.state.readEntity(entity)).lease).toBeUndefined()
    // With the list of its pages for Athena.
    expect((await snapshot(entity)).latest.runId).toBe(asked.driver.runId)
  })
})

describe('a cancelled run', () => {
  it('sends no request later than five seconds after the cancellation', async () => {
    platform.documents.set(entity, makeDocuments(300))
    const { callWorker, request, world: inside, passTime, now } = world()
    const asked = request(entity)
    let cancelledAt = Number.POSITIVE_INFINITY
    const lateMs: number[] = []
    const match = onScroll()
    platform.faults.add({
      match: (one) => {
        if (!match(one)) return false
        passTime(1_000)
        lateMs.push(now() - cancelledAt)
        return false
      },
      fault: { kind: 'html' },
    })
    const state = {
      ...inside.state,
      async commitPage(...[attempt, page, at]: Parameters<typeof inside.state.commitPage>) {
        await inside.state.commitPage(attempt, page, at)
        if (page.page !== 4) return
        // The caller crashes before it releases the lease.
        const run = await inside.state.readRun(entity, asked.driver.runId)
        if (run?.status !== 'running') throw new Error('The run is not running.')
        const progress = { documents: 40, pages: 4, total: 300, rangeProgress: [] }
        await inside.state.endRun(failed(run, { reason: 'Cancelled.', progress, now: now() }), ['running'])
        cancelledAt = now()
      },
    }
    expect(await callWorker(asked, { using: { ...inside, state } })).toMatchObject({ status: 'failed' })
    expect(Math.max(...lateMs)).toBeLessThanOrEqual(5_000)
    expect(scrolls().length).toBeLessThan(15)
  })
})

describe('items of finished runs', () => {
  it('expire after 30 days', async () => {
    const { sync, now } = world()
    const { runId } = await sync(entity)
    const { Item } = await stores.dynamodb.send(
      new GetItemCommand({
        TableName: stores.table,
        Key: { pk: { S: `entity#${entity}` }, sk: { S: `run#${runId}` } },
      }),
    )
    const { Items = [] } = await stores.dynamodb.send(
      new QueryCommand({
        TableName: stores.table,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: `run#${runId}#1` } },
      }),
    )
    expect(Items).toHaveLength(11)
    for (const item of [...Items, Item ?? {}]) {
      const days = (unmarshall(item)['expiresAt'] * 1000 - now()) / day
      expect(days).toBeGreaterThan(29.9)
      expect(days).toBeLessThanOrEqual(30)
    }
  })
})

describe('a failure that the state machine caught', () => {
  it.each([
    ['States.Timeout', /did not respond within its time limit \(States\.Timeout\)/],
    ['Lambda.TooManyRequestsException', /throttled.*concurrent executions/],
    ['Sandbox.Timedout', /did not stop within its time limit/],
    ['TypeError', /failed repeatedly \(TypeError\)/],
  ])('leaves a reason with what to do: %s', async (name, reason) => {
    const { callWorker, request } = world()
    const asked = request(entity)
    await callWorker(asked, { seconds: 0 })
    const response = await callWorker(failureOf(asked, name))
    expect(response).toMatchObject({ status: 'failed', reason: expect.stringMatching(reason) })
    expect(response).toMatchObject({ reason: expect.stringContaining('start the sync again') })
  })
})

describe('a platform that allows no more scrolls', () => {
  const body = '{"Message":"Maximum simultaneous scrolls rate exceeded (10)"}'

  it('lets the run wait about a minute and report why', async () => {
    platform.faults.add({ match: onScroll({ request: 1 }), fault: { kind: 'status', status: 400, body } })
    const { callWorker, request, world: inside, logged, passTime } = world()
    const asked = request(entity)
    const response = await callWorker(asked)
    expect(response).toMatchObject({
      status: 'waiting',
      reason: expect.stringContaining('Maximum simultaneous'),
    })
    const { waitSeconds } = response as { waitSeconds: number }
    expect(waitSeconds).toBeGreaterThanOrEqual(45)
    expect(waitSeconds).toBeLessThanOrEqual(75)
    expect(await inside.state.readRun(entity, asked.driver.runId)).toMatchObject({
      status: 'waiting',
      reason: expect.stringContaining('Maximum simultaneous'),
    })
    expect(logged.some((line) => line.includes('"run waiting"') && line.includes('Maximum'))).toBe(true)
    passTime(waitSeconds * 1000)
    expect(await callWorker(asked)).toMatchObject({ status: 'published', proof: 'exact', suspect: false })
  })
})

describe('a scroll that repeats its last page forever', () => {
  it.each([600, 2])('is stopped after 100 repeated pages, with steps of %i s', async (seconds) => {
    platform.scroll.tokens = 'positional'
    platform.scroll.total = { value: '1000000' }
    const { sync } = world()
    const match = onScroll()
    let page = 0
    platform.faults.add({
      match: (request) => match(request) && ++page > 3,
      fault: { kind: 'page', change: () => [Buffer.from('{"id":"same"}')] },
      times: Number.POSITIVE_INFINITY,
    })
    const response = await sync(entity, { seconds, steps: 1000 })
    expect(response).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/the last 100 pages repeated/),
    })
  })
})
