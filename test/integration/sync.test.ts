import { describe, expect, it } from 'vitest'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { onScroll } from '../../local/stand-in/faults.ts'
import { localCredentials } from '../../local/stand-in/platform.ts'
import { duplicateDocument } from '../stand-in-faults.ts'
import { shrinkingSync } from '../worker-requests.ts'
import { entity, platform, prepareEachSync, sent, tokenSemantics, world } from './sync-testbed.ts'

prepareEachSync()

describe('a scroll without faults', () => {
  it.each(tokenSemantics)('publishes every document, byte for byte (%s)', async (tokens) => {
    platform.scroll.tokens = tokens
    const { sync, snapshot, events } = world()
    const response = await sync(entity)
    expect(response).toMatchObject({
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
      runId: response.runId,
      openedAt: expect.stringMatching(/Z$/),
      idField: 'id',
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
        detail: {
          entity,
          runId: response.runId,
          documents: 95,
          proof: 'exact',
          manifest: `snapshots/${entity}/${response.runId}/manifest.json`,
        },
      },
    ])
  })

  it.each(['empty', 'brackets', 'no-content', 'white-space'] as const)(
    'recognizes an end by %s',
    async (end) => {
      platform.scroll.end = end
      expect(await world().sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
    },
  )

  it.each(['pretty', 'crlf'] as const)('keeps documents that are formatted as %s', async (rendering) => {
    platform.scroll.rendering = rendering
    const { sync, snapshot } = world()
    await sync(entity)
    const plain = (text: string) => JSON.parse(text) as unknown
    expect((await snapshot(entity)).lines.map(plain)).toEqual(sent().map(plain))
  })

  it('keeps the last token when later responses have none', async () => {
    platform.scroll.tokenHeader = 'first'
    expect(await world().sync(entity)).toMatchObject({ status: 'published', proof: 'exact' })
  })

  it('sends size and query with the first request only, and the credentials with each', async () => {
    await world({ query: { _where: 'number>-1', _schema: ['a', 'b'] } }).sync(entity)
    const scrolls = platform.requests.filter(({ kind }) => kind === 'scroll')
    expect(scrolls[0]?.url).toMatch(/_size=10&_where=number%3E-1&_schema=a&_schema=b$/)
    expect(scrolls.slice(1).every(({ url }) => /\?_token=[^&]+$/.test(url))).toBe(true)
    expect(scrolls.every(({ headers }) => headers['x-svc-api-appkey'] === localCredentials.appKey)).toBe(true)
    expect(scrolls).toHaveLength(11)
  })
})

describe('the proof', () => {
  it('publishes within the tolerance when the total is a little wrong', async () => {
    platform.documents.set(entity, makeDocuments(200))
    platform.scroll.total = { offBy: 2 }
    expect(await world().sync(entity)).toMatchObject({
      status: 'published',
      proof: 'within-tolerance',
      attempt: 1,
    })
  })

  it('scrolls again when a page seems to be missing, and accepts two attempts that find the same number', async () => {
    // One more document than a page has, of 95.
    platform.scroll.total = { offBy: 11 }
    expect(await world({ totalTolerancePercent: 12 }).sync(entity)).toMatchObject({
      status: 'published',
      proof: 'within-tolerance',
      attempt: 2,
    })
  })

  it('fails when the total is far off, reports by how much, and keeps the published snapshot', async () => {
    const { sync, snapshot } = world()
    await sync(entity)
    const before = (await snapshot(entity)).latest
    platform.scroll.total = { offBy: 100 }
    const response = await sync(entity)
    expect(response).toMatchObject({
      status: 'failed',
      attempt: 3,
      reason: expect.stringMatching(/195 documents and 95 unique/),
    })
    expect((await snapshot(entity)).latest).toEqual(before)
  })

  it.each(['missing'] as const)('publishes as no-total when the total is %o', async (total) => {
    platform.scroll.total = total
    const { sync, snapshot } = world()
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'no-total' })
    expect((await snapshot(entity)).manifest.reportedTotal).toBeNull()
  })

  it('does not publish without a total when the outcome of a request is unknown', async () => {
    platform.scroll.total = 'missing'
    platform.faults.add({
      match: onScroll({ page: 3 }),
      fault: { kind: 'reset', effect: 'before' },
      times: Number.POSITIVE_INFINITY,
    })
    expect(await world().sync(entity)).toMatchObject({ status: 'failed' })
  })

  it('drops a repeated page and keeps a repeated document, counted once', async () => {
    platform.faults.add({ match: onScroll({ page: 3 }), fault: { kind: 'repeat-page' } })
    platform.faults.add({
      match: onScroll({ page: 6 }),
      fault: { kind: 'page', change: duplicateDocument(0) },
    })
    const { sync, snapshot } = world()
    expect(await sync(entity)).toMatchObject({ status: 'published', proof: 'exact', documents: 96 })
    expect((await snapshot(entity)).manifest).toMatchObject({ documents: 96, uniqueIds: 95 })
  })

  it('scrolls again after a page that the platform skipped', async () => {
    platform.faults.add({ match: onScroll({ scroll: 1, page: 3 }), fault: { kind: 'skip-page' } })
    expect(await world().sync(entity)).toMatchObject({ status: 'published', proof: 'exact', attempt: 2 })
  })
})

describe('guards before publication', () => {
  it('refuses an empty entity unless allowEmpty is set, even with acceptShrink', async () => {
    platform.documents.set(entity, [])
    const strict = world()
    const refused = await strict.sync(entity, { request: strict.request(entity, { job: shrinkingSync }) })
    expect(refused).toMatchObject({ status: 'refused', reason: expect.stringContaining('allowEmpty') })
    expect(strict.events).toMatchObject([{ type: 'Snapshot Refused' }])
    const lenient = world({ allowEmpty: true })
    expect(await lenient.sync(entity)).toMatchObject({ status: 'published', documents: 0 })
    expect((await lenient.snapshot(entity)).manifest.pages).toEqual([])
  })

  it('refuses an entity that shrank too much unless acceptShrink is set', async () => {
    const { sync, snapshot, request } = world()
    const first = await sync(entity)
    platform.documents.set(entity, makeDocuments(60))
    expect(await sync(entity)).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining('(maxShrinkPercent). Review and accept it, or sync again.'),
    })
    expect((await snapshot(entity)).latest.runId).toBe(first.runId)
    expect(await sync(entity, { request: request(entity, { job: shrinkingSync }) })).toMatchObject({
      status: 'published',
    })
    expect((await snapshot(entity)).lines).toEqual(sent())
  })
})

describe('retention', () => {
  it('keeps as many snapshots as configured, and at least two', async () => {
    const { sync, keys } = world({ keepSnapshots: 1, changes: false })
    const runs: string[] = []
    for (let run = 0; run < 4; run++) runs.push((await sync(entity)).runId ?? '')
    const left = new Set((await keys(entity)).map((key) => key.split('/')[2]))
    expect(left).toEqual(new Set([...runs.slice(-2), 'latest.json']))
  })

  it('deletes the objects of a refused run', async () => {
    const { sync, keys, request } = world()
    await sync(entity)
    platform.documents.set(entity, makeDocuments(10))
    const refused = await sync(entity)
    expect((await keys(entity)).some((key) => key.includes(refused.runId ?? '-'))).toBe(true)
    await sync(entity, { request: request(entity, { job: shrinkingSync }) })
    expect((await keys(entity)).some((key) => key.includes(refused.runId ?? '-'))).toBe(false)
  })
})

describe('requests of the worker', () => {
  it('fails for an entity that is not configured, and names those that are', async () => {
    expect(await world().sync('ZZ')).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining(entity),
    })
  })

  it('never moves latest.json backwards', async () => {
    const { sync, snapshot, world: inside } = world()
    const first = await sync(entity)
    const second = await sync(entity)
    const older = { runId: first.runId ?? '', manifest: '', publishedAt: '', documents: 95 }
    const moved = await inside.snapshots.moveLatest(entity, older, undefined)
    expect(moved.runId).toBe(second.runId)
    expect((await snapshot(entity)).latest.runId).toBe(second.runId)
  })

  it('writes latest.json if the one that it read has been deleted since', async () => {
    const { snapshots } = world().world
    const read = {
      value: { runId: '1', manifest: '', publishedAt: '', documents: 95 },
      etag: '"of-the-deleted-one"',
    }
    const latest = { ...read.value, runId: '2' }
    expect(await snapshots.moveLatest('deleted', latest, read)).toEqual(latest)
    expect((await snapshots.readLatest('deleted'))?.value).toEqual(latest)
  })
})
