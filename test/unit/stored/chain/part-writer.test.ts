import { hash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { PartWriter } from '../../../../stored/chain/part-writer.ts'

const maxPartRecords = 10_000
const maxPartBytes = 8 * 1024 * 1024
let stored: { body: Buffer; sha256: string }[]
let writer: PartWriter

beforeEach(() => {
  stored = []
  writer = new PartWriter(async (body, sha256) => `key-${stored.push({ body, sha256 })}`)
})

/** A line with its line feed has this size. */
const line = (bytes: number, fill = 'x') => Buffer.alloc(bytes - 1, fill)
const contents = () => stored.map(({ body }) => gunzipSync(body))
const recordsOfParts = async () => (await writer.finish()).map(({ records }) => records)

describe('the parts of a change set', () => {
  it('have one line for each record, made of its pieces', async () => {
    await writer.addLine(Buffer.from('a'), Buffer.from(''), Buffer.from('bc'))
    await writer.addLine(Buffer.from('d'))
    const parts = await writer.finish()
    expect(contents().map(String)).toEqual(['abc\nd\n'])
    const [{ body, sha256 } = { body: Buffer.alloc(0), sha256: '' }] = stored
    expect(parts).toEqual([{ key: 'key-1', records: 2, bytes: body.length, sha256 }])
    expect(sha256).toBe(hash('sha256', body, 'hex'))
  })

  it('are compressed like the pages of snapshots', async () => {
    const text = Buffer.from(Array.from({ length: 500 }, (_, id) => `{"id":${id * 7919}}`).join(''))
    await writer.addLine(text)
    await writer.finish()
    expect(stored[0]?.body).toEqual(gzipSync(Buffer.concat([text, Buffer.from('\n')]), { level: 1 }))
  })

  it('are none if there are no records', async () => {
    expect(await writer.finish()).toEqual([])
    expect(stored).toEqual([])
  })

  it.each([
    [maxPartRecords, [maxPartRecords]],
    [maxPartRecords + 1, [maxPartRecords, 1]],
  ])('of %i records are %j', async (count, expected) => {
    for (let record = 0; record < count; record++) await writer.addLine(Buffer.from(String(record)))
    expect(await recordsOfParts()).toEqual(expected)
  })

  it.each([
    ['fit exactly', [maxPartBytes - 10, 10], [2]],
    ['are one byte too large', [maxPartBytes - 10, 11], [1, 1]],
    ['are larger than a part', [10, maxPartBytes + 10, 10, 10], [1, 1, 2]],
    ['fill a part again after a larger one', [maxPartBytes + 10, maxPartBytes - 10, 10, 10], [1, 2, 1]],
  ])('have at most 8 MB: lines that %s', async (_, sizes, expected) => {
    for (const [at, bytes] of sizes.entries()) await writer.addLine(line(bytes, String(at)))
    expect(await recordsOfParts()).toEqual(expected)
    const lines = sizes.flatMap((bytes, at) => [line(bytes, String(at)), Buffer.from('\n')])
    expect(Buffer.concat(contents()).equals(Buffer.concat(lines))).toBe(true)
  })
})
