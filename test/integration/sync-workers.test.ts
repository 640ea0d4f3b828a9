import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { startPosition } from '../../functions/state/page.ts'
import type { Run } from '../../functions/state/run.ts'
import { LeaseLost } from '../../functions/state/sync-state.aws.ts'
import type { StepContext } from '../../functions/worker/context.ts'
import { storeEnd } from '../../functions/worker/page/store.ts'
import { makeDocuments } from '../../local/platform/documents.ts'
import { onScroll } from '../../local/platform/faults.ts'
import { entity, platform, sent, stores, tokenSemantics, world } from './sync-testbed.ts'
import { entitySettings, syncWorld } from './sync-world.ts'

describe('workers that die', () => {
  /** The world in which the n-th call of a store's method ends the worker, before or after its effect. */
  const dying = <Store extends 'state' | 'snapshots'>(
    base: StepContext,
    {
      store,
      method,
      call,
      effect,
    }: { store: Store; method: keyof StepContext[Store]; call: number; effect: 'before' | 'after' },
  ): StepContext => {
    let calls = 0
    const real = base[store][method] as (...args: unknown[]) => Promise<unknown>
    const deadly = async (...args: unknown[]) => {
      calls++
      if (calls > call) return new Promise(() => {})
      if (calls < call) return real(...args)
      if (effect === 'after') await real(...args)
      throw new Error('the worker was killed')
    }
    return { ...base, [store]: { ...base[store], [method]: deadly } }
  }
  const crashes = [
    { store: 'snapshots', method: 'putPage', call: 3, effect: 'before' },
    { store: 'snapshots', method: 'putPage', call: 3, effect: 'after' },
    { store: 'state', method: 'commitPage', call: 1, effect: 'before' },
    { store: 'state', method: 'commitPage', call: 3, effect: 'after' },
    { store: 'state', method: 'commitPage', call: 11, effect: 'before' },
    { store: 'state', method: 'commitPage', call: 11, effect: 'after' },
    { store: 'state', method: 'createRun', call: 1, effect: 'before' },
    { store: 'state', method: 'createRun', call: 1, effect: 'after' },
    { store: 'state', method: 'writeRun', call: 1, effect: 'before' },
    { store: 'state', method: 'writeRun', call: 1, effect: 'after' },
    { store: 'snapshots', method: 'putManifest', call: 1, effect: 'before' },
    { store: 'snapshots', method: 'putManifest', call: 1, effect: 'after' },
    { store: 'snapshots', method: 'moveLatest', call: 1, effect: 'before' },
    { store: 'snapshots', method: 'moveLatest', call: 1, effect: 'after' },
    { store: 'snapshots', method: 'moveTable', call: 1, effect: 'before' },
    { store: 'snapshots', method: 'moveTable', call: 1, effect: 'after' },
    { store: 'state', method: 'setLatest', call: 1, effect: 'after' },
    { store: 'state', method: 'writeRun', call: 2, effect: 'after' },
    { store: 'state', method: 'release', call: 1, effect: 'before' },
  ] as const
  it.each(
    tokenSemantics.flatMap((tokens) =>
      crashes.map((death) => [tokens, death.effect, death.method, death.call, death] as const),
    ),
  )('the run goes on and publishes the whole (%s, %s %s %i)', async (tokens, ...rest) => {
    platform.scroll.tokens = tokens
    const death = rest[3]
    const { world: base, callWorker, request, sync, snapshot, now } = world()
    const asked = request(entity)
    await expect(callWorker(asked, { using: dying(base, death as never) })).rejects.toThrow('killed')
    const answer = await sync(entity, { request: asked })
    expect(answer).toMatchObject({ status: 'published', proof: 'exact' })
    // The place that the dead worker had is free for others at once.
    expect(await base.state.takeSlot('another run', 1, { now: now(), until: now() })).toBe(true)
    expect((await snapshot(entity)).lines.toSorted()).toEqual(sent().toSorted())
    expect((await snapshot(entity)).latest.runId).toBe(answer.runId)
    expect(await sync(entity)).toMatchObject({ status: 'published' })
  })

  it('an attempt never mixes two scrolls, even if its only page came without a token', async () => {
    platform.documents.set(entity, makeDocuments(5))
    platform.scroll.total = 'missing'
    const { world: base, callWorker, request } = world()
    const tokenless: StepContext = {
      ...base,
      upstream: {
        ...base.upstream,
        async send(asked) {
          const answer = await base.upstream.send(asked)
          return { ...answer, headers: { ...answer.headers, 'x-svc-md-token': undefined } }
        },
      },
    }
    const asked = request(entity)
    const using = dying(tokenless, { store: 'state', method: 'commitPage', call: 1, effect: 'after' })
    await expect(callWorker(asked, { using })).rejects.toThrow('killed')
    await callWorker(asked, { using: tokenless })
    const [run] = await base.state.listRuns(entity, 1)
    // The page, and the mark of the end right behind it.
    expect(await base.state.lastPage(run?.runId ?? '', 1)).toMatchObject({
      page: 2,
      end: true,
      documentsSoFar: 5,
    })
  })

  it('a run whose worker dies at the same page each time is given up', async () => {
    const { world: base, callWorker, request } = world()
    const asked = request(entity)
    for (let death = 0; death < 5; death++) {
      const using = dying(base, { store: 'snapshots', method: 'putPage', call: 1, effect: 'before' })
      await expect(callWorker(asked, { using })).rejects.toThrow('killed')
    }
    expect(await callWorker(asked)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('died'),
    })
  })

  it('a step that died for good is recorded, and the next run publishes', async () => {
    const { world: base, callWorker, request, sync } = world()
    const asked = request(entity)
    const using = dying(base, { store: 'snapshots', method: 'putPage', call: 2, effect: 'before' })
    await expect(callWorker(asked, { using })).rejects.toThrow('killed')
    const recorded = await callWorker({
      ...asked,
      task: 'record-failure',
      error: { Error: 'Sandbox.Timedout', Cause: 'x' },
    })
    expect(recorded).toMatchObject({ status: 'failed', reason: expect.stringContaining('Sandbox.Timedout') })
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
  })
})

describe('one run an entity at a time', () => {
  it('a duplicate start is skipped while the first works, and is kept as such', async () => {
    const { callWorker, request, sync, world: inside } = world()
    platform.faults.add({ match: onScroll({ page: 3 }), fault: { kind: 'slow', beforeHeadersMs: 300 } })
    const [first, second] = await Promise.all([
      sync(entity),
      wait(100).then(() => callWorker(request(entity))),
    ])
    expect(first).toMatchObject({ status: 'published', proof: 'exact' })
    expect(second).toMatchObject({ status: 'skipped', reason: expect.stringContaining(first.runId ?? '-') })
    expect((await inside.state.readRun(entity, second.runId ?? ''))?.status).toBe('skipped')
  })

  it.each(tokenSemantics)('a retried step takes over from a worker that still lives (%s)', async (tokens) => {
    platform.scroll.tokens = tokens
    platform.faults.add({
      match: onScroll({ scroll: 1, page: 4 }),
      fault: { kind: 'slow', beforeHeadersMs: 200 },
    })
    const { callWorker, request, sync, snapshot } = world()
    const asked = request(entity)
    const slow = callWorker(asked)
    await wait(100)
    const answer = await sync(entity, { request: asked })
    expect(answer).toMatchObject({ status: 'published', proof: 'exact' })
    expect((await slow).status).not.toBe('failed')
    expect((await snapshot(entity)).lines.toSorted()).toEqual(sent().toSorted())
  })

  it('the end that one worker came to is not taken by another for its own', async () => {
    const { callWorker, request, world: inside } = world()
    const { runId } = await callWorker(request(entity), { seconds: 0 })
    const run = (await inside.state.readRun(entity, runId ?? '')) as Run
    const comeToEnd = (total: number) => {
      const cursor = { token: undefined, total, pageSize: 10, answeredAt: 0 }
      return storeEnd(inside, run, { cursor, after: startPosition(10) })
    }
    expect(await comeToEnd(95)).toMatchObject({ end: true, total: 95 })
    await expect(comeToEnd(0)).rejects.toThrow(LeaseLost)
  })

  it('a run that was left behind is free after five minutes, and is closed by the next', async () => {
    const { callWorker, request, passTime, sync, events, logged, world: inside } = world()
    const left = await callWorker(request(entity), { seconds: 0 })
    expect(left.status).toBe('running')
    expect(await callWorker(request(entity))).toMatchObject({ status: 'skipped' })
    passTime(5 * 60_000 + 1)
    expect(await sync(entity)).toMatchObject({ status: 'published' })
    expect(await inside.state.readRun(entity, left.runId ?? '')).toMatchObject({
      status: 'failed',
      abandoned: true,
    })
    expect(events[0]).toMatchObject({ type: 'Sync Failed', detail: { entity, runId: left.runId } })
    const ends = logged.map((line) => JSON.parse(line)).filter(({ message }) => message === 'run ended')
    expect(ends).toMatchObject([
      { runId: left.runId, status: 'failed', RunsFailed: 1 },
      { status: 'published' },
    ])
  })

  it('direct invocations go on where the last one stopped', async () => {
    const { callWorker, request } = world()
    platform.faults.add({
      match: onScroll({ page: 5 }),
      fault: { kind: 'status', status: 429, headers: { 'retry-after': '60' } },
    })
    const direct = () => request(entity, { execution: undefined })
    const first = await callWorker(direct())
    expect(first).toMatchObject({ status: 'waiting' })
    const second = await callWorker(direct())
    expect(second).toMatchObject({
      status: 'published',
      proof: 'exact',
      attempt: 1,
      suspect: false,
      runId: first.runId,
    })
  })

  it('a direct invocation begins anew when the run that it finds has ended', async () => {
    const { world: base, callWorker, request, passTime } = world()
    const direct = () => request(entity, { execution: undefined })
    const deadly: StepContext = {
      ...base,
      state: { ...base.state, release: () => Promise.reject(new Error('the worker was killed')) },
    }
    await expect(callWorker(direct(), { using: deadly })).rejects.toThrow('killed')
    const [first] = await base.state.listRuns(entity, 1)
    expect(first?.status).toBe('published')
    passTime(6 * 60_000)
    const second = await callWorker(direct())
    expect(second.status).toBe('published')
    expect(second.runId).not.toBe(first?.runId)
  })

  it('holds no more concurrent syncs than configured; the others wait their turn', async () => {
    const names = ['A', 'B', 'C'].map((letter) => `${entity}${letter}`)
    for (const name of names) platform.documents.set(name, makeDocuments(20))
    const { callWorker, request, sync } = syncWorld(
      { stores, platform },
      names.map((name) => entitySettings(name)),
      {
        maxConcurrentSyncs: 2,
      },
    )
    const asked = names.map((name) => request(name))
    const [a, b, c] = asked as [(typeof asked)[0], (typeof asked)[0], (typeof asked)[0]]
    for (const one of [a, b]) {
      platform.faults.add({
        match: onScroll({ entity: one.entity, page: 2 }),
        fault: { kind: 'status', status: 429, headers: { 'retry-after': '60' } },
      })
      expect(await callWorker(one)).toMatchObject({ status: 'waiting', waitSeconds: 60 })
    }
    expect(await callWorker(c)).toMatchObject({
      status: 'waiting',
      reason: expect.stringContaining('2 places'),
    })
    expect(await sync(a.entity, { request: a })).toMatchObject({ status: 'published' })
    expect(await callWorker(c)).toMatchObject({ status: 'published' })
    expect(await sync(b.entity, { request: b })).toMatchObject({ status: 'published' })
  })
})

describe('many worker calls', () => {
  it('a scroll that takes many of them is clean if each hands over', async () => {
    platform.documents.set(entity, makeDocuments(300))
    const { callWorker, request, passTime, now } = world()
    const asked = request(entity)
    const match = onScroll()
    platform.faults.add({
      match: (one) => {
        // Every page takes the platform a minute and a half.
        if (match(one)) passTime(90_000)
        return false
      },
      fault: { kind: 'html' },
    })
    const startedAt = now()
    let calls = 0
    for (;;) {
      calls++
      const answer = await callWorker(asked, { seconds: 300 })
      if (answer.status === 'running') continue
      expect(answer).toMatchObject({ status: 'published', proof: 'exact', attempt: 1, suspect: false })
      break
    }
    expect(calls).toBeGreaterThan(5)
    expect(now() - startedAt).toBeGreaterThan(30 * 60_000)
  })
})
