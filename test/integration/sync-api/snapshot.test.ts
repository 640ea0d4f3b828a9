import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { api, platform, prepareSyncApi } from './routes-testbed.ts'

prepareSyncApi()

describe('GET /syncs/{entity}/snapshot', () => {
  it('is the manifest with a link to each page that works without credentials', async () => {
    const { start, call, drive } = api()
    await start('CL')
    await drive()
    const { body } = await call('GET /syncs/{entity}/snapshot', { entity: 'CL' })
    expect(body).toMatchObject({ version: 1, entity: 'CL', documents: 95, proof: 'exact' })
    const lines: string[] = []
    for (const { link, documents } of body.pages) {
      expect(link).toContain('X-Amz-Expires=900')
      const page = gunzipSync(await (await fetch(link)).bytes())
        .toString()
        .trimEnd()
        .split('\n')
      expect(page).toHaveLength(documents)
      lines.push(...page)
    }
    expect(lines).toEqual((platform.documents.get('CL') as Buffer[]).map(String))
  })

  it.each([
    [{ 'accept-encoding': 'gzip' }, 'gzip'],
    [{ 'accept-encoding': 'gzip;q=0' }, undefined],
    [{}, undefined],
  ])('is compressed if the caller accepts it: %j', async (headers, coding) => {
    const { start, call, drive } = api()
    await start('CL')
    await drive()
    const response = await call('GET /syncs/{entity}/snapshot', { entity: 'CL' }, { headers })
    expect(response.headers?.['content-encoding']).toBe(coding)
    expect(response.headers?.['vary']).toBe('accept-encoding')
    expect(response.body).toMatchObject({ documents: 95 })
  })

  describe('of more than 1,000 pages', () => {
    const pages = Array.from({ length: 2_500 }, (_, index) => ({
      key: `snapshots/CL/${index}`,
      documents: 1,
      bytes: 1,
      sha256: 'a'.repeat(64),
    }))
    const runId = '20260301T060000000Z-0123456789ab'
    const newerRunId = '20260302T060000000Z-0123456789ab'
    const read = async (api: ReturnType<typeof openApi>, query = '') =>
      api.call('GET /syncs/{entity}/snapshot', { entity: 'CL' }, { rawQueryString: query })
    const openApi = () =>
      api({ manifests: { [runId]: { runId, pages }, [newerRunId]: { runId: newerRunId, pages: [] } } })
    const publish = (api: ReturnType<typeof openApi>, id: string) =>
      api.world.state.setLatest('CL', { runId: id, manifest: '', publishedAt: '', documents: 1 })

    it('has 1,000 pages in each response and the URL of the next', async () => {
      const opened = openApi()
      await publish(opened, runId)
      const keys: string[] = []
      const next: (string | undefined)[] = []
      let url: URL | undefined = new URL('https://api.example.com/base/syncs/CL/snapshot')
      for (let responses = 0; url && responses < 5; responses++) {
        const { status, body } = await read(opened, url.search.slice(1))
        expect(status).toBe(200)
        expect(body.pages.length).toBeLessThanOrEqual(1_000)
        keys.push(...body.pages.map((page: { key: string }) => page.key))
        next.push(body.next)
        url = body.next === undefined ? undefined : new URL(body.next, url)
        // A publication in between changes nothing.
        await publish(opened, newerRunId)
      }
      expect(keys).toEqual(pages.map(({ key }) => key))
      expect(next).toEqual([`?cursor=${runId}.1000`, `?cursor=${runId}.2000`, undefined])
    })

    it('is a 404 if the snapshot of the cursor is gone', async () => {
      const { status, body } = await read(openApi(), 'cursor=20250101T000000000Z-0123456789ab.1000')
      expect(status).toBe(404)
      expect(body.detail).toContain('Start again without a cursor')
    })

    it.each([
      'cursor=',
      'cursor=x',
      `cursor=${runId}`,
      `cursor=${runId}.-1`,
      `cursor=${runId}.1&cursor=${runId}.2`,
    ])('is a 400 for the query %s', async (query) => {
      expect(await read(openApi(), query)).toMatchObject({ status: 400, body: { parameter: 'cursor' } })
    })
  })
})
