import { hash, randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type DescribedObject, readPages } from '../../../../stored/chain/read-pages.ts'

const bodyOf = (key: string) => gzipSync(`{"id":"${key}"}\n`)
const objectOf = (key: string, change: Partial<DescribedObject> = {}): DescribedObject => {
  const body = bodyOf(key)
  return { key, bytes: body.length, sha256: hash('sha256', body, 'hex'), ...change }
}
const keys = (count: number) => Array.from({ length: count }, (_, at) => `p${at}`)

/** A bucket that remembers which objects are being read, and reads each as `read` says. */
function bucket(read: (key: string) => Uint8Array | undefined = bodyOf) {
  const seen = { requested: [] as string[], checks: 0 }
  return {
    seen,
    source: {
      async readObject(key: string) {
        seen.requested.push(key)
        return read(key)
      },
      checkTime: () => void seen.checks++,
      damaged: (message: string) => new Error(message),
    },
  }
}

describe('the pages of a snapshot', () => {
  it('are read in the order of the given positions', async () => {
    const { source, seen } = bucket()
    const pages: unknown[] = []
    for await (const { index, text } of readPages(
      source,
      keys(40).map((key) => objectOf(key)),
      [3, 0, 17],
    ))
      pages.push([index, text.toString()])
    expect(pages).toEqual([
      [3, '{"id":"p3"}\n'],
      [0, '{"id":"p0"}\n'],
      [17, '{"id":"p17"}\n'],
    ])
    expect(seen.requested).toEqual(['p3', 'p0', 'p17'])
    expect(seen.checks).toBe(3)
  })

  it.each([
    ['32 objects', 1, 32],
    ['16 MiB', 6 * 1024 * 1024, 3],
    ['exactly 16 MiB', 8 * 1024 * 1024, 2],
    ['one object that is larger', 20 * 1024 * 1024, 1],
  ])('are requested ahead, at most %s', async (_, bytes, ahead) => {
    const { source, seen } = bucket()
    // The sizes of the manifest decide before an object is read.
    const objects = keys(40).map((key) => objectOf(key, key === 'p0' ? {} : { bytes }))
    const pages = readPages(source, [...objects.slice(1), ...objects.slice(0, 1)], [...objects.keys()])
    await expect(pages.next()).rejects.toThrow('damaged')
    expect(seen.requested.length).toBe(ahead)
  })

  it('are requested ahead again when one was read', async () => {
    const { source, seen } = bucket()
    const pages = readPages(
      source,
      keys(40).map((key) => objectOf(key)),
      [...keys(40).keys()],
    )
    await pages.next()
    await pages.next()
    expect(seen.requested.length).toBe(33)
  })

  it('are requested ahead again when enough bytes were read', async () => {
    const { source, seen } = bucket()
    const small = objectOf('p0')
    const large = objectOf('p1', { bytes: 16 * 1024 * 1024 - small.bytes })
    const pages = readPages(source, [small, large, objectOf('p2'), objectOf('p3')], [0, 1, 2, 3])
    await pages.next()
    expect(seen.requested).toEqual(['p0', 'p1'])
    await expect(pages.next()).rejects.toThrow('damaged')
    expect(seen.requested).toEqual(['p0', 'p1', 'p2'])
  })

  it('use no more memory than their documents, which frees that of the object', async () => {
    const content = `{"id":"${'x'.repeat(100_000)}"}\n`
    const body = new Uint8Array(gzipSync(content))
    const object = { key: 'p0', bytes: body.length, sha256: hash('sha256', body, 'hex') }
    const { value } = await readPages(bucket(() => body).source, [object], [0]).next()
    expect(value?.text.toString()).toBe(content)
    expect(value?.text.buffer.byteLength).toBe(content.length + 1)
    expect(body.length).toBe(0)
  })

  it.each([
    ['only as far as lines are used', 1000, 'a part'],
    ['completely if the first lines are longer', 9000, 'all'],
  ])('are unpacked %s', async (_, firstBytes, unpacked) => {
    const lines = Array.from(
      { length: 100 },
      (_line, at) => `${randomBytes(at < 3 ? firstBytes : 1000).toString('hex')}\n`,
    )
    const body = gzipSync(lines.join(''))
    const named = { key: 'p0', bytes: body.length, sha256: hash('sha256', body, 'hex') }
    const object = { ...named, used: { lines: 3, of: 100 } }
    const { value } = await readPages(bucket(() => body).source, [object], [0]).next()
    const text = value?.text.toString() ?? ''
    expect(text.startsWith(lines.slice(0, 3).join(''))).toBe(true)
    expect(text.length < lines.join('').length / 2 ? 'a part' : 'all').toBe(unpacked)
  })

  it('fail at a position without an object', async () => {
    await expect(readPages(bucket().source, [objectOf('p0')], [1]).next()).rejects.toThrow(
      'There is no object 1 of 1.',
    )
  })

  it.each([
    ['is missing', { object: objectOf('p1'), body: undefined }, 'The object p1 is missing.'],
    ['was cut off', { object: objectOf('p1', { bytes: 5 }), body: bodyOf('p1') }, 'The object p1 is damaged'],
    [
      'was changed',
      { object: objectOf('p1', { sha256: '00' }), body: bodyOf('p1') },
      'The object p1 is damaged',
    ],
  ])('fail at the object that %s', async (_, { object, body }, reason) => {
    const { source } = bucket((key) => (key === 'p1' ? body : bodyOf(key)))
    const pages = readPages(source, [objectOf('p0'), object], [0, 1])
    expect((await pages.next()).value).toMatchObject({ index: 0 })
    await expect(pages.next()).rejects.toMatchObject({ message: expect.stringContaining(reason) as string })
  })

  it('fail at the object whose read failed, not before', async () => {
    const { source } = bucket((key) => {
      if (key === 'p1') throw new Error('connection lost')
      return bodyOf(key)
    })
    const pages = readPages(source, [objectOf('p0'), objectOf('p1')], [0, 1])
    expect((await pages.next()).value).toMatchObject({ index: 0 })
    await expect(pages.next()).rejects.toThrow('connection lost')
  })

  it('are not read when the time is over', async () => {
    const { source } = bucket()
    const checkTime = () => {
      throw new Error('out of time')
    }
    await expect(readPages({ ...source, checkTime }, [objectOf('p0')], [0]).next()).rejects.toThrow(
      'out of time',
    )
  })
})
