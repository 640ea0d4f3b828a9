import { beforeEach, describe, expect, it } from 'vitest'
import { SyncApiTestbed } from './sync-api-testbed.ts'

const runId = '20260301T060000000Z-0123456789ab'
const newer = '20260302T060000000Z-0123456789ab'
const pages = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    key: `snapshots/CL/${index}`,
    documents: 1,
    bytes: 1,
    sha256: 'hash',
  }))
const withLink = ({ key, ...page }: { key: string }) => ({
  ...page,
  key,
  link: `https://bucket.example.com/${key}`,
})

let testbed: SyncApiTestbed

beforeEach(() => {
  testbed = new SyncApiTestbed()
})

async function publish(id: string, count: number): Promise<void> {
  testbed.putManifest({ version: 1, runId: id, entity: 'CL', pages: pages(count) })
  await testbed.state.setLatest('CL', { runId: id, manifest: 'm', publishedAt: '', documents: 1 })
}

describe('GET /syncs/{entity}/snapshot', () => {
  it('is the manifest of the published snapshot with a link to each page', async () => {
    await publish(runId, 2)
    const { status, body } = await testbed.readSnapshot()
    expect(status).toBe(200)
    expect(body).toEqual({ version: 1, runId, entity: 'CL', pages: pages(2).map(withLink) })
  })

  it('has at most 1,000 pages, and continues with the same snapshot after a publication', async () => {
    await publish(runId, 2_000)
    const first = (await testbed.readSnapshot()).body
    expect(first.pages).toEqual(pages(1_000).map(withLink))
    expect(first.next).toBe(`?cursor=${runId}.1000`)
    await publish(newer, 1)
    const second = (await testbed.readSnapshot(first.next.slice(1))).body
    expect(second.pages).toEqual(pages(2_000).slice(1_000).map(withLink))
    expect(second).not.toHaveProperty('next')
  })

  it('is a 404 before the first publication', async () => {
    expect(await testbed.readSnapshot()).toMatchObject({
      status: 404,
      body: {
        type: 'urn:longshore:problem:not-found',
        detail: 'No snapshot of this entity has been published yet. Start a sync with POST /syncs/{entity}.',
      },
    })
  })

  it('is a 404 if the snapshot of the cursor is gone', async () => {
    await publish(newer, 1)
    expect(await testbed.readSnapshot(`cursor=${runId}.0`)).toMatchObject({
      status: 404,
      body: { detail: 'The snapshot of this cursor no longer exists. Start again without a cursor.' },
    })
  })
})
