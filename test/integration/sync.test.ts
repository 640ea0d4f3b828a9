import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { StepWorld } from '../../functions/sync/step-world.ts'
import { makeDocuments } from '../../local/platform/documents.ts'
import { duplicateDocument, onScroll } from '../../local/platform/faults.ts'
import { localCredentials, type Platform, startPlatform } from '../../local/platform/platform.ts'
import { renderDocument } from '../../local/platform/rendering.ts'
import { type EmbeddedStores, startEmbeddedStores, withFreshTable } from './embedded-stores.ts'
import { entitySettings, syncWorld } from './sync-world.ts'

let embedded: EmbeddedStores
let stores: EmbeddedStores
let platform: Platform
let entity: string
let count = 0

beforeAll(async () => {
  embedded = await startEmbeddedStores()
})
afterAll(() => embedded.close())
beforeEach(async () => {
  stores = await withFreshTable(embedded)
  entity = `E${++count}`
  platform = await startPlatform({ documents: { [entity]: makeDocuments(95) } })
})
afterEach(async () => {
  await Promise.all([platform.close(), stores.close()])
})

const sent = () =>
  (platform.documents.get(entity) as Buffer[]).map((one) => String(renderDocument(one, 'compact')))
const world = (change = {}, more = {}) =>
  syncWorld({ stores, platform }, [entitySettings(entity, change)], more)
const tokenSemantics = ['cursor', 'positional', 'changing-cursor'] as const

describe('a scroll without trouble', () => {
  it.each(tokenSemantics)('publishes every document, byte for byte (%s)', async (tokens) => {
    platform.scroll.tokens = tokens
    const { sync, snapshot, events } = world()
    const answer = await sync(entity)
    expect(answer).toMatchObject({
      status: 'published',
      documents: 95,
      total: 95,
      pages: 10,
      proof: 'exact',
      attempt: 1,
    })
    const { lines, manifest } = await snapshot(entity)
    expect(lines).toEqual(sent())
    expect(manifest).toMatchObject({
      version: 1,
      entity,
      runId: answer.runId,
      pageSize: 10,
      attempts: 1,
      documents: 95,
      uniqueIds: 95,
      reportedTotal: 95,
      proof: 'exact',
      spent: { requests: 11, receivedBytes: expect.any(Number), milliseconds: expect.any(Number) },
    })
    expect(manifest.spent.receivedBytes).toBeGreaterThan(95 * 1024)
    expect(events).toEqual([
      {
        type: 'Snapshot Published',
        detail: { entity, runId: answer.runId, documents: 95, proof: 'exact', manifest: answer.manifest },
      },
    ])
  })

  it.each(['empty', 'brackets', 'no-content', 'white-space'] as const)('knows the end by %s', async (end) => {
    platform.scroll.end = end
    expect(await world().sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
  })

  it.each(['pretty', 'crlf'] as const)('keeps documents that come %s', async (rendering) => {
    platform.scroll.rendering = rendering
    const { sync, snapshot } = world()
    await sync(entity)
    const plain = (text: string) => JSON.parse(text) as unknown
    expect((await snapshot(entity)).lines.map(plain)).toEqual(sent().map(plain))
  })

  it('keeps the last token when later answers bring none', async () => {
    platform.scroll.tokenHeader = 'first'
    expect(await world().sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
  })

  it('sends size and query with the first request only, and the credentials with each', async () => {
    await world({ query: { _where: 'number>=0', _schema: ['a', 'b'] } }).sync(entity)
    const scrolls = platform.requests.filter(({ kind }) => kind === 'scroll')
    expect(scrolls[0]?.url).toMatch(/_size=10&_where=number%3E%3D0&_schema=a&_schema=b$/)
    expect(scrolls.slice(1).every(({ url }) => /\?_token=[^&]+$/.test(url))).toBe(true)
    expect(scrolls.every(({ headers }) => headers['x-svc-api-appkey'] === localCredentials.appKey)).toBe(true)
    expect(scrolls).toHaveLength(11)
  })
})

describe('what the platform does on the way', () => {
  const unknownOutcomes = [
    { kind: 'reset', effect: 'after' },
    { kind: 'reset', effect: 'before' },
    { kind: 'status', status: 500, effect: 'after' },
    { kind: 'status', status: 503, effect: 'before' },
    { kind: 'html', effect: 'after' },
    { kind: 'cut', framing: 'length' },
    { kind: 'cut', framing: 'chunked' },
    { kind: 'cut', framing: 'close' },
    { kind: 'body', change: (body: Buffer) => Buffer.from(body.toString().replace('":', '"')) },
  ] as const
  it.each(
    tokenSemantics.flatMap((tokens) => unknownOutcomes.map((fault) => [tokens, fault.kind, fault] as const)),
  )(
    'publishes nothing but the whole when a request’s outcome is unknown (%s, %s)',
    async (tokens, _, fault) => {
      platform.scroll.tokens = tokens
      platform.faults.add({ match: onScroll({ scroll: 1, request: 4 }), fault })
      const { sync, snapshot } = world()
      expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
      expect(new Set((await snapshot(entity)).lines)).toEqual(new Set(sent()))
    },
  )

  it('reads what a proxy on the way compressed, and asks nobody to', async () => {
    platform.faults.add({ match: onScroll(), fault: { kind: 'gzip' }, times: Number.POSITIVE_INFINITY })
    const { sync, snapshot } = world()
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact', suspect: false })
    expect((await snapshot(entity)).lines).toEqual(sent())
    expect(platform.requests[0]?.headers['accept-encoding']).toBe('identity')
  })

  it('counts what it survived by kind, a 200 with an error body too', async () => {
    const faults = [
      { kind: 'body', change: () => Buffer.from('{"error":{"code":"1","message":"Try later"}}') },
      { kind: 'html' },
      { kind: 'status', status: 503 },
      { kind: 'reset', effect: 'before' },
    ] as const
    for (const [at, fault] of faults.entries())
      platform.faults.add({ match: onScroll({ scroll: 1, request: 3 + at }), fault })
    const { sync, world: inside } = world()
    const answer = await sync(entity)
    expect(answer).toMatchObject({ status: 'published', proof: 'exact' })
    const run = await inside.state.readRun(entity, answer.runId ?? '')
    expect(run?.faults).toEqual({ 'not-json': 2, 503: 1, interrupted: 1 })
  })

  it('asks for a first page that fails again with half the size, and remembers what worked', async () => {
    platform.scroll.timeoutOverSize = 60
    const { sync, snapshot, callWorker, request } = world({ pageSize: 1000 })
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact', suspect: false })
    const sizes = () =>
      platform.requests.map(({ query }) => query.get('_size')).filter((size) => size !== null)
    expect(sizes()).toEqual(['1000', '500', '250', '125', '62', '50'])
    expect((await snapshot(entity)).manifest.pageSize).toBe(50)
    platform.requests.length = 0
    await callWorker(request(entity))
    expect(sizes()).toEqual(['50'])
  })

  it('waits as long as a 429 asks for, without becoming suspect', async () => {
    platform.faults.add({
      match: onScroll({ page: 3 }),
      fault: { kind: 'status', status: 429, headers: { 'retry-after': '120' } },
    })
    const { callWorker, request, passTime, world: inside } = world()
    const asked = request(entity)
    const first = await callWorker(asked)
    expect(first).toMatchObject({ status: 'waiting', waitSeconds: 120, suspect: false })
    expect((await inside.state.readRun(entity, first.runId ?? ''))?.status).toBe('waiting')
    passTime(120_000)
    expect(await callWorker(asked)).toMatchObject({
      status: 'published',
      proof: 'exact',
      attempt: 1,
      suspect: false,
    })
  })

  it('plans a new attempt when the wait outlives the token', async () => {
    platform.faults.add({
      match: onScroll({ scroll: 1, page: 3 }),
      fault: { kind: 'status', status: 429, headers: { 'retry-after': '1500' } },
    })
    const { callWorker, request, passTime } = world()
    const asked = request(entity)
    expect(await callWorker(asked)).toMatchObject({ status: 'waiting', waitSeconds: 900 })
    passTime(25 * 60_000)
    expect(await callWorker(asked)).toMatchObject({ status: 'published', proof: 'exact', attempt: 2 })
  })

  it('starts anew when the token dies in the middle', async () => {
    platform.faults.add({ match: onScroll({ scroll: 1, page: 5 }), fault: { kind: 'expire-token' } })
    const { sync, snapshot, keys } = world()
    const answer = await sync(entity)
    expect(answer).toMatchObject({ status: 'published', proof: 'exact', attempt: 2 })
    const { manifest } = await snapshot(entity)
    const kept = [...manifest.pages.map(({ key }) => key), answer.manifest, `snapshots/${entity}/latest.json`]
    expect(new Set(await keys(entity))).toEqual(new Set(kept))
  })

  it('goes on when the credentials are rotated in the middle', async () => {
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
    const { sync } = world()
    expect(await sync(entity)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining(`${status}`),
    })
    expect(platform.requests).toHaveLength(1)
  })

  it('reads the secret anew in each run whose keys are rejected, however soon after another', async () => {
    const { sync, secret } = world()
    const mended = { appKey: 'mended-key', appToken: 'mended-token' }
    platform.credentials.splice(0, platform.credentials.length, mended)
    expect(await sync(entity)).toMatchObject({ status: 'failed' })
    secret.value = mended
    secret.version = '2'
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
  })

  it('fails at once, in the platform’s words, when the entity is unknown to it', async () => {
    platform.documents.delete(entity)
    const answer = await world().sync(entity)
    expect(answer).toMatchObject({ status: 'failed', reason: expect.stringContaining('404') })
    expect(platform.requests).toHaveLength(1)
  })

  it('fails at once when the query is not valid, and repeats no key that the platform says', async () => {
    const body = JSON.stringify({
      Message: `_where is not valid, sent by ${JSON.stringify(localCredentials)}`,
    })
    platform.faults.add({ match: onScroll(), fault: { kind: 'status', status: 400, body } })
    const { sync, logged } = world({ query: { _where: '(((' } })
    const answer = await sync(entity)
    expect(answer).toMatchObject({ status: 'failed', reason: expect.stringContaining('_where is not valid') })
    expect(answer.reason?.length).toBeLessThan(400)
    for (const key of Object.values(localCredentials))
      expect(`${answer.reason} ${logged.join(' ')}`).not.toContain(key)
    expect(platform.requests).toHaveLength(1)
  })

  it('keeps no token that the platform says, when one dies', async () => {
    platform.faults.add({
      match: onScroll({ page: 5 }),
      fault: { kind: 'expire-token' },
      times: Number.POSITIVE_INFINITY,
    })
    const answer = await world().sync(entity)
    const tokens = platform.requests.flatMap(({ query }) => query.get('_token') ?? [])
    expect(tokens.length).toBeGreaterThan(0)
    expect(answer).toMatchObject({ status: 'failed', reason: expect.stringMatching(/400.*concealed/) })
    expect(tokens.filter((token) => answer.reason?.includes(token))).toEqual([])
  })

  it('gives up within minutes when the platform is down', async () => {
    platform.faults.add({
      match: onScroll(),
      fault: { kind: 'status', status: 500 },
      times: Number.POSITIVE_INFINITY,
    })
    const { sync, now, events, world: inside } = world()
    const startedAt = now()
    const { status, runId } = await sync(entity)
    expect(status).toBe('failed')
    expect((await inside.state.readRun(entity, runId ?? ''))?.faults).toEqual({ 500: 8 })
    expect(now() - startedAt).toBeLessThan(5 * 60_000)
    expect(events).toMatchObject([{ type: 'Sync Failed', detail: { entity } }])
  })

  it('stops a scroll that never ends at twice the expected pages', async () => {
    platform.scroll.endless = true
    const answer = await world().sync(entity)
    expect(answer).toMatchObject({ status: 'failed', reason: expect.stringContaining('20 pages') })
  })
})

describe('the count decides', () => {
  it('publishes within the tolerance when the total is a little wrong', async () => {
    platform.documents.set(entity, makeDocuments(200))
    platform.scroll.total = { offBy: 2 }
    expect(await world().sync(entity)).toMatchObject({
      status: 'published',
      proof: 'within-tolerance',
      attempt: 1,
    })
  })

  it('scrolls again when a page seems to be missing, and believes two attempts that agree', async () => {
    platform.documents.set(entity, makeDocuments(1200))
    platform.scroll.total = { offBy: 11 }
    expect(await world().sync(entity)).toMatchObject({
      status: 'published',
      proof: 'within-tolerance',
      attempt: 2,
    })
  })

  it('fails when the total is far off, says by how much, and leaves what was published', async () => {
    const { sync, snapshot } = world()
    await sync(entity)
    const before = (await snapshot(entity)).latest
    platform.scroll.total = { offBy: 100 }
    const answer = await sync(entity)
    expect(answer).toMatchObject({ status: 'failed', attempt: 3, reason: expect.stringMatching(/95 .* 195/) })
    expect((await snapshot(entity)).latest).toEqual(before)
  })

  it.each(['missing', { value: 'many' }] as const)(
    'publishes as no-total when the total is %o',
    async (total) => {
      platform.scroll.total = total
      const { sync, snapshot } = world()
      expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'no-total' })
      expect((await snapshot(entity)).manifest.reportedTotal).toBeNull()
    },
  )

  it('does not publish without a total once a request’s outcome is unknown', async () => {
    platform.scroll.total = 'missing'
    platform.faults.add({
      match: onScroll({ page: 3 }),
      fault: { kind: 'reset', effect: 'before' },
      times: Number.POSITIVE_INFINITY,
    })
    expect(await world().sync(entity)).toMatchObject({ status: 'failed' })
  })

  it('leaves a repeated page out and keeps a repeated document, counted once', async () => {
    platform.faults.add({ match: onScroll({ page: 3 }), fault: { kind: 'repeat-page' } })
    platform.faults.add({
      match: onScroll({ page: 6 }),
      fault: { kind: 'page', change: duplicateDocument(0) },
    })
    const { sync, snapshot } = world()
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact', documents: 96 })
    expect((await snapshot(entity)).manifest).toMatchObject({ documents: 96, uniqueIds: 95 })
  })

  it('notices a page that the platform skipped, or an end that came too early', async () => {
    platform.faults.add({ match: onScroll({ scroll: 1, page: 3 }), fault: { kind: 'skip-page' } })
    platform.faults.add({ match: onScroll({ scroll: 2, page: 5 }), fault: { kind: 'end' } })
    expect(await world().sync(entity)).toMatchObject({ status: 'published', proof: 'exact', attempt: 3 })
  })
})

describe('guards before publication', () => {
  it('refuses an empty entity unless that is allowed, whatever is accepted', async () => {
    platform.documents.set(entity, [])
    const strict = world()
    const refused = await strict.sync(entity, { request: strict.request(entity, { acceptShrink: true }) })
    expect(refused).toMatchObject({ status: 'refused', reason: expect.stringContaining('allowEmpty') })
    expect(strict.events).toMatchObject([{ type: 'Snapshot Refused' }])
    const lenient = world({ allowEmpty: true })
    expect(await lenient.sync(entity)).toMatchObject({ status: 'published', documents: 0 })
    expect((await lenient.snapshot(entity)).manifest.pages).toEqual([])
  })

  it('refuses an entity that shrank too much until that is accepted', async () => {
    const { sync, snapshot, request } = world()
    const first = await sync(entity)
    platform.documents.set(entity, makeDocuments(60))
    expect(await sync(entity)).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('acceptShrink'),
    })
    expect((await snapshot(entity)).latest.runId).toBe(first.runId)
    expect(await sync(entity, { request: request(entity, { acceptShrink: true }) })).toMatchObject({
      status: 'published',
    })
    expect((await snapshot(entity)).lines).toEqual(sent())
  })
})

describe('workers that die', () => {
  /** The world in which the n-th call of a store's method ends the worker, before or after its effect. */
  const dying = <Store extends 'state' | 'snapshots'>(
    base: StepWorld,
    {
      store,
      method,
      call,
      effect,
    }: { store: Store; method: keyof StepWorld[Store]; call: number; effect: 'before' | 'after' },
  ): StepWorld => {
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
  const deaths = [
    { store: 'snapshots', method: 'putPage', call: 3, effect: 'before' },
    { store: 'snapshots', method: 'putPage', call: 3, effect: 'after' },
    { store: 'state', method: 'commitPage', call: 1, effect: 'before' },
    { store: 'state', method: 'commitPage', call: 3, effect: 'after' },
    { store: 'state', method: 'commitPage', call: 11, effect: 'before' },
    { store: 'state', method: 'commitPage', call: 11, effect: 'after' },
    { store: 'state', method: 'writeRun', call: 1, effect: 'before' },
    { store: 'state', method: 'writeRun', call: 2, effect: 'after' },
    { store: 'snapshots', method: 'putManifest', call: 1, effect: 'before' },
    { store: 'snapshots', method: 'putManifest', call: 1, effect: 'after' },
    { store: 'snapshots', method: 'moveLatest', call: 1, effect: 'before' },
    { store: 'snapshots', method: 'moveLatest', call: 1, effect: 'after' },
    { store: 'snapshots', method: 'moveTable', call: 1, effect: 'before' },
    { store: 'snapshots', method: 'moveTable', call: 1, effect: 'after' },
    { store: 'state', method: 'setLatest', call: 1, effect: 'after' },
    { store: 'state', method: 'writeRun', call: 3, effect: 'after' },
    { store: 'state', method: 'release', call: 1, effect: 'before' },
  ] as const
  it.each(
    tokenSemantics.flatMap((tokens) =>
      deaths.map((death) => [tokens, death.effect, death.method, death.call, death] as const),
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
    const tokenless: StepWorld = {
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
    const ends = logged
      .map((line) => JSON.parse(line))
      .filter(({ message }) => message === 'A run has ended.')
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
    const deadly: StepWorld = {
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

describe('retention', () => {
  it('keeps as many snapshots as configured, and never less than two', async () => {
    const { sync, keys } = world({ keepSnapshots: 1 })
    const runs: string[] = []
    for (let run = 0; run < 4; run++) runs.push((await sync(entity)).runId ?? '')
    const left = new Set((await keys(entity)).map((key) => key.split('/')[2]))
    expect(left).toEqual(new Set([...runs.slice(-2), 'latest.json']))
  })

  it('removes what a refused or failed run left', async () => {
    const { sync, keys, request } = world()
    await sync(entity)
    platform.documents.set(entity, makeDocuments(10))
    const refused = await sync(entity)
    expect((await keys(entity)).some((key) => key.includes(refused.runId ?? '-'))).toBe(true)
    await sync(entity, { request: request(entity, { acceptShrink: true }) })
    expect((await keys(entity)).some((key) => key.includes(refused.runId ?? '-'))).toBe(false)
  })
})

describe('bad requests of the worker', () => {
  it('an entity that is not configured fails, and names those that are', async () => {
    expect(await world().sync('ZZ')).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining(entity),
    })
  })

  it('an upstream that lies about documents it never had cannot move what is published backwards', async () => {
    const { sync, snapshot, world: inside } = world()
    const first = await sync(entity)
    const second = await sync(entity)
    const moved = await inside.snapshots.moveLatest(entity, {
      runId: first.runId ?? '',
      manifest: first.manifest ?? '',
      publishedAt: '',
      documents: 95,
    })
    expect(moved.runId).toBe(second.runId)
    expect((await snapshot(entity)).latest.runId).toBe(second.runId)
  })
})
