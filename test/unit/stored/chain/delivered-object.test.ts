import { gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { idHashOf, idHashOfWords, stillReturned } from '../../../../stored/chain/delivered-versions.ts'
import { readDelivered, storeDelivered } from '../../../../stored/chain/part-writer.ts'
import { idHashWords, writeIdHash } from '../../../../stored/documents/id-hash.ts'

const version = (at: number) => ({
  content: `content ${at}`.padEnd(16),
  date: at * 1e6 + 0.5,
  deliveredAt: at,
})
const versions = new Map([1, 2, 3].map((at) => [idHashOf(`"${at}"`), version(at)]))

/** Stores versions and reads them after a change of the object. */
async function stored(change: (body: Buffer) => Buffer | undefined = (body) => body) {
  const objects = new Map<string, Buffer>()
  const logs: string[] = []
  const target = {
    writePart: async (_set: object, body: Buffer) => {
      objects.set('key', body)
      return 'key'
    },
  }
  const delivered = await storeDelivered(target, { entity: 'CL', runId: 'r', now: 0 }, versions)
  const readObject = async (key: string) => {
    const body = objects.get(key)
    return body && change(body)
  }
  const source = {
    changes: { readObject },
    log: (...[level]: [string, ...unknown[]]) => void logs.push(level),
  }
  return { delivered, read: await readDelivered(source, delivered), logs }
}

describe('the versions that increments delivered', () => {
  it('are read as they were stored', async () => {
    const { delivered, read, logs } = await stored()
    expect(delivered).toMatchObject({ key: 'key', versions: 3 })
    expect(read).toEqual(versions)
    expect(logs).toEqual([])
  })

  it.each<[string, (body: Buffer) => Buffer | undefined]>([
    ['gone', () => undefined],
    ['cut off', (body) => body.subarray(0, -1)],
    ['those of another set', (body) => gzipSync(gunzipSync(body).subarray(48))],
  ])('are unknown if the object is %s, which is logged', async (_, change) => {
    const { read, logs } = await stored(change)
    expect(read.size).toBe(0)
    expect(logs).toEqual(['WARN'])
  })

  it('are none before the first one', async () => {
    const source = { changes: { readObject: async () => undefined }, log: () => undefined }
    expect((await readDelivered(source, undefined)).size).toBe(0)
  })

  it('are still returned by a window that begins at the end of theirs', () => {
    expect([...stillReturned(versions, 2).values()]).toEqual([version(2), version(3)])
  })

  it('have the id hash that a comparison has of the same id', () => {
    const words = new Uint32Array(idHashWords)
    writeIdHash('"1"', words, 0)
    expect(idHashOfWords(words, 0)).toBe(idHashOf('"1"'))
  })
})
