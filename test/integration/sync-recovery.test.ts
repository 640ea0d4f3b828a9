import { DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import { onScroll } from '../../local/stand-in/faults.ts'
import { failureOf } from '../worker-requests.ts'
import { entity, platform, prepareEachSync, stores, world } from './sync-testbed.ts'
import { entitySettings, syncWorld } from './sync-world.ts'

prepareEachSync()

const day = 24 * 3_600_000

/** A context whose worker crashes at a call of the snapshot store. */
const crash = () => Promise.reject(new Error('The worker crashed.'))

/** Removes an item as its TTL does. */
const expire = (pk: string, sk: string) =>
  stores.dynamodb.send(
    new DeleteItemCommand({ TableName: stores.table, Key: { pk: { S: pk }, sk: { S: sk } } }),
  )

describe('a publication that is resumed', () => {
  it('by another run names the query and id field of the run that scrolled', async () => {
    const query = { _where: 'number>-1' }
    const before = world({ query })
    const asked = before.request(entity)
    const using = { ...before.world, publisher: { ...before.world.publisher, publish: crash } }
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

  it('of an entity that is no longer configured is released although its run was publishing', async () => {
    const { world: base, callWorker, request, snapshot } = world()
    const asked = request(entity)
    const using = { ...base, state: { ...base.state, setLatest: crash } }
    await expect(callWorker(asked, { using })).rejects.toThrow('crashed')
    const without = syncWorld({ stores, platform }, [entitySettings('AD')])
    // It had moved latest.json, so it has published.
    expect(await without.callWorker(asked)).toMatchObject({ status: 'published' })
    expect((await base.state.readEntity(entity)).lease).toBeUndefined()
    // With the list of its pages for Athena.
    expect((await snapshot(entity)).latest.runId).toBe(asked.driver.runId)
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
