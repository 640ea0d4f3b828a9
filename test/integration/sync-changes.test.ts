import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import type { EntitySettings } from '../../functions/runtime/settings.ts'
import { itemVersion } from '../../functions/state/item-version.ts'
import { onScroll } from '../../local/stand-in/faults.ts'
import { entity, platform, prepareEachSync, stores, world } from './sync-testbed.ts'
import { entitySettings, syncWorld } from './sync-world.ts'

prepareEachSync()

/** A run that waits after some pages, as when another release is deployed. */
async function waitingRun(change: Partial<EntitySettings> = {}) {
  platform.faults.add({
    match: onScroll({ scroll: 1, request: 5 }),
    fault: { kind: 'status', status: 429, headers: { 'retry-after': '60' } },
  })
  const { callWorker, request } = world(change)
  const asked = request(entity)
  const { status, runId } = await callWorker(asked)
  expect(status).toBe('waiting')
  return { asked, runId: runId ?? '' }
}

const setAttribute = (key: { pk: string; sk: string }, name: string, value: number) =>
  stores.dynamodb.send(
    new UpdateItemCommand({
      TableName: stores.table,
      Key: { pk: { S: key.pk }, sk: { S: key.sk } },
      UpdateExpression: 'SET #name = :value',
      ExpressionAttributeNames: { '#name': name },
      ExpressionAttributeValues: { ':value': { N: String(value) } },
    }),
  )

describe('a configuration that changes during a run', () => {
  it.each<[string, Partial<EntitySettings>]>([
    ['the page size', { pageSize: 3 }],
    ['the query', { query: { _where: 'number>1' } }],
    ['the id', { idField: 'number' }],
    ['everything', { pageSize: 20, query: {}, idField: 'none', keepSnapshots: 1 }],
  ])('does not affect the run: %s', async (_, change) => {
    const query = { _where: 'number>-1' }
    const { asked, runId } = await waitingRun({ query })
    platform.faults.add({ match: onScroll({ scroll: 1, page: 7 }), fault: { kind: 'expire-token' } })
    const after = world(change)
    expect(await after.sync(entity, { request: asked })).toMatchObject({
      status: 'published',
      runId,
      proof: 'exact',
      attempt: 2,
    })
    const { manifest } = await after.snapshot(entity)
    expect(manifest).toMatchObject({ query, pageSize: 10, documents: 95, uniqueIds: 95 })
    const first = platform.requests
      .filter((one) => one.query.has('_size'))
      .map((one) => one.query.get('_where'))
    expect(first).toEqual([query._where, query._where])
  })

  it('applies to the next run', async () => {
    await world().sync(entity)
    const { sync, snapshot } = world({ pageSize: 50, query: { _where: 'number>-1' } })
    await sync(entity)
    expect((await snapshot(entity)).manifest).toMatchObject({ query: { _where: 'number>-1' }, pageSize: 50 })
  })

  it('ends the run of an entity that is no longer configured', async () => {
    const { asked, runId } = await waitingRun()
    const without = syncWorld({ stores, platform }, [entitySettings('AD')])
    const response = await without.callWorker(asked)
    expect(response).toMatchObject({
      status: 'failed',
      runId,
      reason: expect.stringContaining('not configured'),
    })
    expect(without.events).toMatchObject([{ type: 'Sync Failed', detail: { entity, runId } }])
    const { world: inside, sync } = world()
    expect(await inside.state.readRun(entity, runId)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('not configured'),
    })
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
  })
})

describe('items that another release wrote', () => {
  const itemsOf = (runId: string) => ({
    entity: { pk: `entity#${entity}`, sk: 'entity' },
    run: { pk: `entity#${entity}`, sk: `run#${runId}` },
    'last page': { pk: `run#${runId}#1`, sk: 'page#000004' },
    'first page': { pk: `run#${runId}#1`, sk: 'page#000001' },
    'sync slots': { pk: 'slots', sk: 'syncs' },
    'scroll slots': { pk: 'slots', sk: 'scrolls' },
  })
  const names = ['entity', 'run', 'last page', 'first page', 'sync slots', 'scroll slots'] as const

  it.each(names)('are refused with what to do: %s', async (name) => {
    const { asked, runId } = await waitingRun()
    await setAttribute(itemsOf(runId)[name], 'version', itemVersion + 1)
    const { sync, keys } = world()
    const response = await sync(entity, { request: asked })
    expect(response).toMatchObject({
      status: 'failed',
      runId,
      reason: expect.stringMatching(/its version is .*deploy the release that wrote it, or a newer one/),
    })
    expect(await keys(entity)).not.toContain(`snapshots/${entity}/latest.json`)
  })

  it('are continued when that release is deployed again', async () => {
    const { asked, runId } = await waitingRun()
    await setAttribute(itemsOf(runId).run, 'version', itemVersion + 1)
    const { sync } = world()
    expect((await sync(entity, { request: asked })).status).toBe('failed')
    await setAttribute(itemsOf(runId).run, 'version', itemVersion)
    const response = await sync(entity, { request: asked })
    expect(response).toMatchObject({ status: 'published', runId, proof: 'exact', attempt: 1 })
  })
})
