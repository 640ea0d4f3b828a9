import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { preparePage, TooManyDocuments } from '../../../../functions/worker/page/store.ts'

const prepare = (body: string) =>
  preparePage(Buffer.from(body), {
    idField: 'id',
    compress: async (bytes) => Buffer.from(bytes),
    sleep: async () => {},
  })
const pageOf = (count: number) => `[${Array.from({ length: count }, (_, id) => `{"id":${id}}`).join(',')}]`

describe('a page that is prepared', () => {
  it('has its lines, hash, fingerprints and counts', async () => {
    const page = await prepare('[{"id":1},{"name":"none"}]')
    expect(page.object.toString()).toBe('{"id":1}\n{"name":"none"}\n')
    expect(page.sha256).toEqual(createHash('sha256').update(page.object).digest())
    expect(page).toMatchObject({ documents: 2, documentsWithoutId: 1 })
    expect(page.fingerprints).toHaveLength(16)
  })

  it('frees the memory of the body, which is large compared with the page', async () => {
    const body = Buffer.from(pageOf(10_000))
    const compress = async (bytes: Buffer) => Buffer.from(bytes)
    const { documents } = await preparePage(body, { idField: 'id', compress, sleep: async () => {} })
    expect([documents, body.buffer.byteLength]).toEqual([10_000, 0])
  })

  it('may have as many documents as fit into one item of the state table', async () => {
    expect((await prepare(pageOf(45_000))).fingerprints.length).toBeLessThan(390_000)
    await expect(prepare(pageOf(45_001))).rejects.toThrow(new TooManyDocuments(45_001))
  })
})
