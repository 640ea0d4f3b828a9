import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { LeaseLost } from '../../functions/state/lease.ts'
import { openingCursor, startPosition } from '../../functions/state/pages/page.ts'
import { attemptOf } from '../../functions/state/run/attempts.ts'
import type { ActiveFullRun } from '../../functions/state/run/run.ts'
import type { StepContext } from '../../functions/worker/context.ts'
import { storeEnd } from '../../functions/worker/page/store.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { onScroll } from '../../local/stand-in/faults.ts'
import { endedBecause } from '../ended-because.ts'
import { fullSync } from '../worker-requests.ts'
import { entity, platform, prepareEachSync, sent, stores, tokenSemantics, world } from './sync-testbed.ts'
import { entitySettings, syncWorld } from './sync-world.ts'

prepareEachSync()

describe('one run per entity at a time', () => {
  it.each(tokenSemantics)(
    'lets a retried step take over from a worker that still runs (%s)',
    async (tokens) => {
      platform.scroll.tokens = tokens
      platform.faults.add({
        match: onScroll({ scroll: 1, page: 4 }),
        fault: { kind: 'slow', beforeHeadersMs: 200 },
      })
      const { callWorker, request, sync, snapshot } = world()
      const asked = request(entity)
      const slow = callWorker(asked)
      await wait(100)
      const response = await sync(entity, { request: asked })
      expect(response).toMatchObject({ status: 'published', proof: 'exact' })
      expect((await slow).status).not.toBe('failed')
      expect((await snapshot(entity)).lines.toSorted()).toEqual(sent().toSorted())
    },
  )

  it('accepts the end mark of one worker only', async () => {
    const { callWorker, request, world: inside } = world()
    const { runId } = await callWorker(request(entity), { seconds: 0 })
    const run = (await inside.state.readRun(entity, runId ?? '')) as ActiveFullRun
    const comeToEnd = (total: number) => {
      const cursor = { ...openingCursor(10), total }
      return storeEnd(inside, attemptOf(run, 0), {
        cursor,
        after: startPosition(10),
        evidence: 'confirmed',
        received: { request: '', exchanges: [], bodySha256: '' },
      })
    }
    expect(await comeToEnd(95)).toMatchObject({ kind: 'end', total: 95 })
    await expect(comeToEnd(0)).rejects.toThrow(LeaseLost)
  })

  it('continues a run with direct invocations', async () => {
    const { callWorker } = world()
    platform.faults.add({
      match: onScroll({ page: 5 }),
      fault: { kind: 'status', status: 429, headers: { 'retry-after': '60' } },
    })
    const direct = { entity, job: fullSync, driver: { kind: 'direct' } } as const
    const first = await callWorker(direct)
    expect(first).toMatchObject({ status: 'waiting' })
    const second = await callWorker(direct)
    expect(second).toMatchObject({
      status: 'published',
      proof: 'exact',
      attempt: 1,
      suspect: false,
      runId: first.runId,
    })
  })

  it('begins a new run with a direct invocation when the one that it finds has ended', async () => {
    const { world: base, callWorker, passTime } = world()
    const direct = { entity, job: fullSync, driver: { kind: 'direct' } } as const
    const deadly: StepContext = {
      ...base,
      state: { ...base.state, release: () => Promise.reject(new Error('the worker was killed')) },
    }
    await expect(callWorker(direct, { using: deadly })).rejects.toThrow('killed')
    const [first] = await base.state.listRuns(entity, 1)
    expect(first?.status).toBe('published')
    passTime(6 * 60_000)
    const second = await callWorker(direct)
    expect(second.status).toBe('published')
    expect(second.runId).not.toBe(first?.runId)
  })

  it('runs no more concurrent syncs than configured', async () => {
    const names = ['A', 'B', 'C'].map((letter) => `${entity}${letter}`)
    for (const name of names) platform.documents.set(name, makeDocuments(20))
    const entities = names.map((name) => entitySettings(name))
    const { callWorker, request, sync } = syncWorld({ stores, platform }, entities, { maxConcurrentSyncs: 2 })
    const asked = names.map((name) => request(name))
    const [a, b, c] = asked as [(typeof asked)[0], (typeof asked)[0], (typeof asked)[0]]
    for (const one of [a, b]) {
      platform.faults.add({
        match: onScroll({ entity: one.entity, page: 2 }),
        fault: { kind: 'status', status: 429, headers: { 'retry-after': '60' } },
      })
      expect(await callWorker(one)).toMatchObject({ status: 'waiting', waitSeconds: 60 })
    }
    expect(await callWorker(c)).toMatchObject(endedBecause('waiting', '2 slots'))
    expect(await sync(a.entity, { request: a })).toMatchObject({ status: 'published' })
    expect(await callWorker(c)).toMatchObject({ status: 'published' })
    expect(await sync(b.entity, { request: b })).toMatchObject({ status: 'published' })
  })
})
