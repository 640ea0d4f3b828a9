import { randomBytes } from 'node:crypto'
import { Gzip, gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createGzipper } from '../../../../stored/documents/gzip.ts'

const compressible = (megabytes: number) =>
  Buffer.from('{"id":"1","name":"one"}\n'.repeat(43_690 * megabytes))

describe('the gzipper', () => {
  const once = [
    compressible(1),
    randomBytes(700_000),
    // Its file comes in two pieces.
    randomBytes(2_200_000),
    Buffer.from('{}\n'),
    Buffer.alloc(0),
    compressible(3),
  ]
  const pages = [...once, ...once]
  const plain = (files: readonly Buffer[]) =>
    files.map((file, at) => gunzipSync(file).equals(pages[at] ?? file))

  it('compresses several pages at the same time', async () => {
    const gzip = createGzipper()
    for (let time = 0; time < 2; time++) {
      const files = await Promise.all(once.map(gzip))
      expect(plain(files)).toEqual(once.map(() => true))
    }
  })

  it('keeps every file unchanged while it compresses the next pages', async () => {
    const gzip = createGzipper()
    const files: Buffer[] = []
    for (const page of pages) {
      files.push(await gzip(page))
    }
    expect(plain(files)).toEqual(pages.map(() => true))
  })

  afterEach(() => void vi.restoreAllMocks())

  it('uses one stream for consecutive pages, and leaves no listener on it', async () => {
    const transform = vi.spyOn(Gzip.prototype, '_transform')
    const gzip = createGzipper()
    for (const page of once) await gzip(page)
    const [stream, ...others] = new Set(transform.mock.contexts as Gzip[])
    expect(others).toEqual([])
    expect(['data', 'error'].map((event) => stream?.listenerCount(event))).toEqual([0, 0])
  })

  describe('if zlib fails', () => {
    it('rejects, and compresses the next page with another stream', async () => {
      const gzip = createGzipper()
      const failing = vi.spyOn(Gzip.prototype, '_transform')
      failing.mockImplementation((_chunk, _encoding, done) => done(new Error('out of memory')))
      await expect(gzip(compressible(1))).rejects.toThrow('out of memory')
      failing.mockRestore()
      expect(gunzipSync(await gzip(compressible(1)))).toEqual(compressible(1))
    })

    it('rejects instead of returning a file that is not complete', async () => {
      const gzip = createGzipper()
      vi.spyOn(Gzip.prototype, '_transform').mockImplementation((...[, , done]) => {
        setImmediate(() => done(null, Buffer.alloc(8)))
      })
      await expect(gzip(compressible(1))).rejects.toThrow('The compressed page is incomplete.')
    })
  })
})
