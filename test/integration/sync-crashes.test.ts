import { describe, expect, it } from 'vitest'
import type { StepContext } from '../../functions/worker/context.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { rowsToTry } from '../case-count.ts'
import { failureOf } from '../worker-requests.ts'
import { entity, platform, prepareEachSync, sent, tokenSemantics, world } from './sync-testbed.ts'

prepareEachSync()

describe('workers that crash', () => {
  interface Crash<Store extends 'state' | 'snapshots'> {
    readonly store: Store
    readonly method: keyof StepContext[Store]
    readonly call: number
    readonly effect: 'before' | 'after'
  }

  /** A context in which the n-th call of a store's method ends the worker, before or after its effect. */
  const crashing = <Store extends 'state' | 'snapshots'>(
    base: StepContext,
    { store, method, call, effect }: Crash<Store>,
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
    { store: 'state', method: 'commitEnd', call: 1, effect: 'before' },
    { store: 'state', method: 'commitEnd', call: 1, effect: 'after' },
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
    rowsToTry(
      tokenSemantics.flatMap((tokens) =>
        crashes.map((crash) => [tokens, crash.effect, crash.method, crash.call, crash] as const),
      ),
    ),
  )('are followed by one that publishes a complete snapshot (%s, %s %s %i)', async (tokens, ...rest) => {
    platform.scroll.tokens = tokens
    platform.documents.set(entity, makeDocuments(35))
    const crash = rest[3]
    const { world: base, callWorker, request, sync, snapshot, now } = world()
    const asked = request(entity)
    await expect(callWorker(asked, { using: crashing(base, crash as never) })).rejects.toThrow('killed')
    const response = await sync(entity, { request: asked })
    expect(response).toMatchObject({ status: 'published', proof: 'exact' })
    // The slot of the crashed worker is free at once.
    expect(await base.state.takeSlot('another run', 1, { now: now(), until: now() })).toBe(true)
    expect((await snapshot(entity)).lines.toSorted()).toEqual(sent().toSorted())
    expect((await snapshot(entity)).latest.runId).toBe(response.runId)
    expect(await sync(entity)).toMatchObject({ status: 'published' })
  })

  it('never mix two scrolls in one attempt, even if its only page came without a token', async () => {
    platform.documents.set(entity, makeDocuments(5))
    platform.scroll.total = 'missing'
    const { world: base, callWorker, request } = world()
    const tokenless: StepContext = {
      ...base,
      upstream: {
        ...base.upstream,
        async send(asked) {
          const response = await base.upstream.send(asked)
          return { ...response, headers: { ...response.headers, 'x-svc-md-token': undefined } }
        },
      },
    }
    const asked = request(entity)
    const using = crashing(tokenless, { store: 'state', method: 'commitPage', call: 1, effect: 'after' })
    await expect(callWorker(asked, { using })).rejects.toThrow('killed')
    await callWorker(asked, { using: tokenless })
    const [run] = await base.state.listRuns(entity, 1)
    // The page and the end mark.
    expect(await base.state.lastPosition({ runId: run?.runId ?? '', attempt: 1 })).toMatchObject({
      page: 2,
      kind: 'end',
      documentsSoFar: 5,
    })
  })

  it('are given up after five crashes at the same page', async () => {
    const { world: base, callWorker, request } = world()
    const asked = request(entity)
    for (let crash = 0; crash < 5; crash++) {
      const using = crashing(base, { store: 'snapshots', method: 'putPage', call: 1, effect: 'before' })
      await expect(callWorker(asked, { using })).rejects.toThrow('killed')
    }
    expect(await callWorker(asked)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('crashed'),
    })
  })

  it('are recorded when the state machine gives up, and the next run publishes', async () => {
    const { world: base, callWorker, request, sync } = world()
    const asked = request(entity)
    const using = crashing(base, { store: 'snapshots', method: 'putPage', call: 2, effect: 'before' })
    await expect(callWorker(asked, { using })).rejects.toThrow('killed')
    const recorded = await callWorker(failureOf(asked, 'Sandbox.Timedout'))
    expect(recorded).toMatchObject({ status: 'failed', reason: expect.stringContaining('Sandbox.Timedout') })
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
  })
})
