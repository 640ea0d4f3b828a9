import { describe, expect, it } from 'vitest'
import { onScroll } from '../../local/stand-in/faults.ts'
import { localCredentials } from '../../local/stand-in/platform.ts'
import { duplicateDocument } from '../stand-in-faults.ts'
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
          sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      },
    ])
  })

  it.each(['pretty', 'crlf'] as const)('keeps documents that are formatted as %s', async (rendering) => {
    platform.scroll.rendering = rendering
    const { sync, snapshot } = world()
    await sync(entity)
    const plain = (text: string) => JSON.parse(text) as unknown
    expect((await snapshot(entity)).lines.map(plain)).toEqual(sent().map(plain))
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
})
