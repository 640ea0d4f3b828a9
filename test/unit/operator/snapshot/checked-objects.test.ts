import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  intactLines,
  objectsOfPages,
  objectsOfParts,
  readIntactLines,
} from '../../../../operator/snapshot/checked-objects.ts'

const object = gzipSync('{"id":1}\n{"id":"\u2028"}\n')
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const page = { key: 'p', count: 2, bytes: object.length, sha256: sha256(object) }

describe('readIntactLines', () => {
  const changed = Buffer.from(object)
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  const plain = Buffer.from('{}\n')
  const unended = gzipSync('{"id":1}\n{"id":2}')

  it('returns the documents of an intact page', async () => {
    expect(await readIntactLines(page, async () => object)).toEqual(
      ['{"id":1}', '{"id":"\u2028"}'].map((line) => Buffer.from(line)),
    )
  })

  it('returns no lines for an empty page', async () => {
    const empty = gzipSync('')
    const entry = { key: 'p', count: 0, bytes: empty.length, sha256: sha256(empty) }
    expect(await readIntactLines(entry, async () => empty)).toEqual([])
  })

  it.each([
    ['that is missing', page, undefined, 'not found in the bucket'],
    [
      'that is truncated',
      page,
      object.subarray(1),
      `${object.length - 1} bytes; the manifest has ${object.length}`,
    ],
    ['that differs in one bit', page, changed, 'its SHA-256 differs from the manifest'],
    ['that is not compressed', { ...page, bytes: plain.length, sha256: sha256(plain) }, plain, 'not gzip'],
    [
      'without a line break at its end',
      { ...page, count: 1, bytes: unended.length, sha256: sha256(unended) },
      unended,
      'its last line is cut off',
    ],
    ['with another number of lines', { ...page, count: 3 }, object, '2 lines; the manifest has 3'],
  ])('reports a page %s', async (...[, entry, bytes, problem]) => {
    const message = `The stored data is damaged: p: ${problem}.`
    await expect(readIntactLines(entry, async () => bytes)).rejects.toThrow(message)
  })
})

it('reads 8 objects at a time and returns all of them in order', async () => {
  const bodies = Array.from({ length: 20 }, (_, index) => gzipSync(`${index}\n`))
  const objects = bodies.map((body, index) => ({
    key: String(index),
    count: 1,
    bytes: body.length,
    sha256: sha256(body),
  }))
  const started: string[] = []
  const received: string[] = []
  const ahead: number[] = []
  const read = async (key: string) => {
    started.push(key)
    return bodies[Number(key)]
  }
  for await (const lines of intactLines(objects, read))
    ahead.push(started.length - received.push(lines.toString()) + 1)
  expect(received).toEqual(objects.map(({ key }) => `${key}\n`))
  expect(ahead).toEqual([...Array(12).fill(8), 8, 7, 6, 5, 4, 3, 2, 1])
})

it('does not fail for reads that a caller which stopped early does not await', async () => {
  const objects = ['a', 'b'].map((key) => ({ ...page, key }))
  const read = async (key: string) => {
    if (key === 'b') throw new Error('Aborted.')
    return object
  }
  for await (const lines of intactLines(objects, read)) {
    expect(lines.toString()).toContain('{"id":1}')
    break
  }
})

it('has the count of each page and of each part of a change set as its number of lines', () => {
  const { count, ...stored } = page
  expect(objectsOfPages([{ ...stored, documents: count }])).toEqual([page])
  expect(objectsOfParts([{ ...stored, records: count }])).toEqual([page])
})
