import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createGzipper } from '../../../functions/documents/gzip.ts'

const compressible = (megabytes: number) =>
  Buffer.from('{"id":"1","name":"one"}\n'.repeat(43_690 * megabytes))

describe('the gzipper', () => {
  const once = [compressible(1), randomBytes(700_000), Buffer.from('{}\n'), Buffer.alloc(0), compressible(12)]
  const pages = [...once, ...once]
  const plain = (files: readonly Buffer[]) =>
    files.map((file, at) => gunzipSync(file).equals(pages[at] ?? file))

  it('makes a file of its own of each page, one after another in the same room', async () => {
    const gzip = createGzipper()
    const files: Buffer[] = []
    for (const page of pages) {
      const { bytes, release } = await gzip(page)
      files.push(Buffer.from(bytes))
      release()
    }
    expect(plain(files)).toEqual(pages.map(() => true))
  })

  it('makes several at once, each in room of its own for as long as nobody releases it', async () => {
    const gzip = createGzipper()
    const compressed = await Promise.all(pages.map(gzip))
    const later = await Promise.all(pages.map(gzip))
    for (const files of [compressed, later]) {
      expect(plain(files.map(({ bytes }) => bytes))).toEqual(pages.map(() => true))
    }
  })

  it('uses the room again of what was released, and of nothing else', async () => {
    const gzip = createGzipper()
    const first = await gzip(compressible(1))
    const kept = await gzip(compressible(1))
    first.release()
    first.release()
    const [second, third] = [await gzip(randomBytes(1000)), await gzip(randomBytes(1000))]
    const place = ({ bytes }: { bytes: Buffer }) => ({ room: bytes.buffer, at: bytes.byteOffset })
    expect(place(second)).toEqual(place(first))
    expect(second.bytes.buffer).toBe(first.bytes.buffer)
    for (const other of [first, kept]) expect(third.bytes.buffer).not.toBe(other.bytes.buffer)
    expect(gunzipSync(kept.bytes)).toEqual(compressible(1))
  })
})
