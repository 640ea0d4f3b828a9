import { describe, expect, it } from 'vitest'
import { onScroll } from '../../local/stand-in/faults.ts'
import { localCredentials } from '../../local/stand-in/platform.ts'
import { entity, platform, prepareEachSync, world } from './sync-testbed.ts'
import { reasonOf } from './sync-world.ts'

prepareEachSync()

describe('faults of the platform', () => {
  it('counts faults by kind, including a 200 with an error body', async () => {
    const faults = [
      { kind: 'body', change: () => Buffer.from('{"error":{"code":"1","message":"Try later"}}') },
      { kind: 'html' },
      { kind: 'status', status: 503 },
      { kind: 'reset', effect: 'before' },
    ] as const
    for (const [at, fault] of faults.entries())
      platform.faults.add({ match: onScroll({ scroll: 1, request: 3 + at }), fault })
    const { sync, world: inside } = world()
    const response = await sync(entity)
    expect(response).toMatchObject({ status: 'published', proof: 'exact' })
    const run = await inside.state.readRun(entity, response.runId ?? '')
    expect(run?.faults).toEqual({ 'not-json': 2, 503: 1, interrupted: 1 })
  })

  it('begins a new attempt when the token would expire during the wait', async () => {
    platform.faults.add({
      match: onScroll({ scroll: 1, page: 3 }),
      fault: { kind: 'status', status: 429, headers: { 'retry-after': '1500' } },
    })
    const { callWorker, request } = world()
    expect(await callWorker(request(entity))).toMatchObject({
      status: 'published',
      proof: 'exact',
      attempt: 2,
    })
  })

  it('begins a new attempt when the platform reports that the token has expired', async () => {
    platform.faults.add({ match: onScroll({ scroll: 1, page: 5 }), fault: { kind: 'expire-token' } })
    const { sync, snapshot, keys } = world()
    const response = await sync(entity)
    expect(response).toMatchObject({ status: 'published', proof: 'exact', attempt: 2 })
    const { manifest } = await snapshot(entity)
    const manifestKey = `snapshots/${entity}/${response.runId}/manifest.json`
    const kept = [...manifest.pages.map(({ key }) => key), manifestKey, `snapshots/${entity}/latest.json`]
    const ofPublisher = ['check-a2-p000001.bin', 'check-manifest.json', 'evidence.json']
    const run = manifestKey.slice(0, -'manifest.json'.length)
    expect(new Set(await keys(entity))).toEqual(new Set([...kept, ...ofPublisher.map((name) => run + name)]))
  })

  it('continues when the credentials are rotated during a scroll', async () => {
    const { sync, secret } = world()
    const next = { appKey: 'next-key', appToken: 'next-token' }
    const scrolls = () => platform.requests.filter(({ kind }) => kind === 'scroll').length
    platform.faults.add({
      match: (request) => {
        if (request.kind === 'scroll' && scrolls() === 4) {
          platform.credentials.splice(0, platform.credentials.length, next)
          secret.value = next
          secret.version = '2'
        }
        return false
      },
      fault: { kind: 'html' },
    })
    expect(await sync(entity)).toMatchObject({
      status: 'published',
      proof: 'exact',
      attempt: 1,
      suspect: false,
    })
  })

  it.each([401, 403] as const)('fails at once when the credentials are rejected with %i', async (status) => {
    platform.rejectStatus = status
    platform.credentials.length = 0
    const { sync, world: inside } = world()
    const response = await sync(entity)
    expect(response).toMatchObject({ status: 'failed', reason: expect.stringContaining(`${status}`) })
    const run = await inside.state.readRun(entity, response.runId ?? '')
    expect(run).toMatchObject({ cause: 'credentials' })
    // The entity knows since when its runs fail.
    expect(await inside.state.readEntity(entity)).toMatchObject({
      failedSince: run?.status === 'failed' && run.endedAt,
    })
    expect(platform.requests).toHaveLength(1)
  })

  it.each([0, 3_000, 10_000])(
    'reads the secret again in a run whose credentials are rejected %i ms after those of another run',
    async (laterMs) => {
      const { sync, secret, passTime } = world()
      const valid = { appKey: 'valid-key', appToken: 'valid-token' }
      platform.credentials.splice(0, platform.credentials.length, valid)
      expect(await sync(entity)).toMatchObject({ status: 'failed' })
      passTime(laterMs)
      secret.value = valid
      secret.version = '2'
      expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
    },
  )

  it('fails at once with the platform’s message when the platform does not know the entity', async () => {
    platform.documents.delete(entity)
    const response = await world().sync(entity)
    expect(response).toMatchObject({ status: 'failed', reason: expect.stringContaining('404') })
    expect(platform.requests).toHaveLength(1)
  })

  it('fails at once when the query is not valid, and redacts credentials in the platform’s message', async () => {
    const body = JSON.stringify({
      Message: `_where is not valid, sent by ${JSON.stringify(localCredentials)}`,
    })
    platform.faults.add({ match: onScroll(), fault: { kind: 'status', status: 400, body } })
    const { sync, logged } = world({ query: { _where: '(((' } })
    const response = await sync(entity)
    expect(response).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('_where is not valid'),
    })
    expect(reasonOf(response).length).toBeLessThan(400)
    for (const key of Object.values(localCredentials))
      expect(`${reasonOf(response)} ${logged.join(' ')}`).not.toContain(key)
    expect(platform.requests).toHaveLength(1)
  })
})
