import { describe, expect, it } from 'vitest'
import { onScroll } from '../../../local/stand-in/faults.ts'
import { api, oneRun, platform, prepareSyncApi } from './routes-testbed.ts'

prepareSyncApi()

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

  it.each([
    ['publisher', 'publish'],
    ['snapshots', 'deleteKeys'],
  ] as const)(
    'is a 409 while the run is being published (at %s.%s), and the snapshot stays complete',
    async (store, method) => {
      const { start, call, callWorker, request, world, snapshot } = api()
      const { body } = await start('CL')
      const parameters = { entity: 'CL', runId: body.runId }
      const responses: object[] = []
      const stores: Record<string, Record<string, unknown>> = {
        publisher: { ...world.publisher },
        snapshots: world.snapshots,
      }
      const real = stores[store]?.[method] as (...args: unknown[]) => Promise<unknown>
      const cancelled = async (...args: unknown[]) => {
        responses.push(await call(cancel, parameters))
        return real(...args)
      }
      const using = { ...world, [store]: { ...stores[store], [method]: cancelled } }
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
