import { beforeEach, describe, expect, it } from 'vitest'
import { changesLatestKey, setManifestKey } from '../../../stored/changes/change-keys.ts'
import { manifestKey } from '../../../stored/snapshots/manifest.ts'
import { ChangeSetTestbed, numberedDocuments } from '../compare/change-set-testbed.ts'
import { changesOf, linkOf } from './request-changes.ts'

let testbed: ChangeSetTestbed

beforeEach(() => {
  testbed = new ChangeSetTestbed()
})

const get = (query = '') => changesOf(testbed, { query })

describe('GET /syncs/{entity}/changes without since', () => {
  it('responds with the snapshot to begin with, and the documents that are withheld beyond it', async () => {
    await testbed.publishSets(5)
    const { manifest } = await testbed.next({ documents: numberedDocuments(4), proof: 'no-total' })
    const { statusCode, headers, body } = await get()
    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({ etag: `"${manifest.runId}"` })
    expect(body).toEqual({
      entity: 'CL',
      tip: manifest.runId,
      snapshot: {
        runId: manifest.runId,
        manifest: manifestKey('CL', manifest.runId),
        documents: 4,
        uniqueIds: 0,
        proof: 'no-total',
        idField: 'id',
        stateDocuments: 5,
        stateIdSum: manifest.stateIdSum,
        pages: [3, 1].map((count, index) => ({
          key: `snapshots/CL/${manifest.runId}/a1-p${index}.ndjson.gz`,
          documents: count,
          bytes: expect.any(Number) as number,
          sha256: expect.any(String) as string,
          link: linkOf(`snapshots/CL/${manifest.runId}/a1-p${index}.ndjson.gz`),
        })),
      },
      withheldParts: manifest.withheldParts.map((part) => ({ ...part, link: linkOf(part.key) })),
      sets: [],
    })
    expect(manifest.withheldParts).toHaveLength(1)
  })

  it('names the snapshot of the tip, not a newer one whose set was refused', async () => {
    testbed.changes = { ignore: [], maxDeletePercent: 10, keepDays: 30 }
    const [tip = ''] = await testbed.publishSets(50)
    testbed.publish({ documents: numberedDocuments(1) })
    await testbed.compare()
    expect((await get()).body).toMatchObject({ tip, snapshot: { runId: tip, documents: 50 } })
  })

  it('lists at most 1,000 pages, and continues with the same snapshot after the tip has moved', async () => {
    testbed.publish({ documents: numberedDocuments(1_001), pageSize: 1 })
    await testbed.compare()
    const first = (await get()).body
    expect(first.snapshot.pages).toHaveLength(1_000)
    await testbed.publishSets(1_002)
    const { headers, body } = await get(first.next.slice(1))
    expect(headers).toMatchObject({ etag: `"${first.tip}"` })
    expect(body).toMatchObject({ tip: first.tip, snapshot: { runId: first.tip, pages: { length: 1 } } })
    expect(body).not.toHaveProperty('next')
  })
})

describe('GET /syncs/{entity}/changes without since, over several responses', () => {
  it('has at most 1,000 links, and withheld documents in the last one', async () => {
    const [pages, withheld] = [1_000, 1]
    testbed.publish({ documents: numberedDocuments(pages + withheld), pageSize: 1 })
    await testbed.compare()
    testbed.publish({ documents: numberedDocuments(pages), pageSize: 1, proof: 'no-total' })
    await testbed.compare()
    const read: number[][] = []
    for (let next: string | undefined = '?'; next !== undefined; ) {
      const { body } = await get(next.slice(1))
      read.push([body.snapshot.pages.length, body.withheldParts.length])
      next = body.next
    }
    expect(read).toEqual([
      [1_000, 0],
      [0, 1],
    ])
  })

  it('is a 410 with the snapshot to begin with once the snapshot of the cursor is gone', async () => {
    const [old, tip] = await testbed.publishSets(1, 2)
    testbed.s3.objects.delete(manifestKey('CL', old ?? ''))
    const { statusCode, body } = await get(`cursor=${old}.1000`)
    expect(statusCode).toBe(410)
    expect(body).toMatchObject({
      detail:
        'The change sets after this run are gone. Read the same URL without since and cursor, and load its snapshot.',
      tip,
      snapshot: { runId: tip },
    })
  })

  it.each([
    ['snapshot', manifestKey],
    ['set', setManifestKey],
  ])('is a 410 that asks for a full sync if the %s of the tip is gone, with since too', async (_, keyOf) => {
    const [first, tip] = await testbed.publishSets(1, 2)
    testbed.s3.objects.delete(keyOf('CL', tip ?? ''))
    for (const query of ['', `since=${first}`]) {
      const { statusCode, headers, body } = await get(query)
      expect(statusCode).toBe(410)
      expect(headers).toMatchObject({ 'retry-after': '300', 'cache-control': 'no-store' })
      expect(body).toMatchObject({
        tip,
        detail:
          'The snapshot that readers begin with, or a part of what they add to it, is gone. Start a full sync with POST /syncs/{entity}. Once its change set is published, read the same URL without since and cursor.',
      })
      expect(body).not.toHaveProperty('snapshot')
    }
  })

  it('is a 410 while erasure has removed parts of the state of the tip, which readers of sets do not need', async () => {
    const [first, tip] = await testbed.publishSets(1, 2)
    const chain = { ...testbed.chain(), reset: 'Erased.', erased: true }
    testbed.overwrite(changesLatestKey('CL'), Buffer.from(JSON.stringify(chain)))
    const { statusCode, body } = await get()
    expect([statusCode, body.tip]).toEqual([410, tip])
    expect(body).not.toHaveProperty('snapshot')
    expect((await changesOf(testbed, { headers: { 'if-none-match': `"${tip}"` } })).statusCode).toBe(410)
    expect(await get(`since=${first}`)).toMatchObject({ statusCode: 200, body: { sets: [{ runId: tip }] } })
    await testbed.publishSets(3)
    expect(await get()).toMatchObject({ statusCode: 200, body: { snapshot: { documents: 3 } } })
  })
})
