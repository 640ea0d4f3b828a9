import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { checkedObjects, checkObject } from '../../../operator/snapshot/checked-objects.ts'
import { compareMetadata, verification } from '../../../operator/snapshot/verification.ts'

const object = gzipSync('{"id":1}\n{"id":"\u2028"}\n')
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const page = { key: 'p', count: 2, bytes: object.length, sha256: sha256(object) }

describe('checkObject', () => {
  const changed = Buffer.from(object)
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  const plain = Buffer.from('{}\n')
  const unended = gzipSync('{"id":1}\n{"id":2}')

  it('returns the documents of an intact page', async () => {
    expect(await checkObject(page, object)).toMatchObject({
      lines: Buffer.from('{"id":1}\n{"id":"\u2028"}\n'),
    })
  })

  it('returns no lines for an empty page', async () => {
    const empty = gzipSync('')
    const entry = { key: 'p', count: 0, bytes: empty.length, sha256: sha256(empty) }
    expect(await checkObject(entry, empty)).toEqual({ object: entry, lines: Buffer.alloc(0) })
  })

  it.each([
    ['that is missing', page, undefined, 'not found in the bucket'],
    ['that is truncated', page, object.subarray(1), 'bytes'],
    ['that differs in one bit', page, changed, 'SHA-256'],
    ['that is not compressed', { ...page, bytes: plain.length, sha256: sha256(plain) }, plain, 'not gzip'],
    [
      'without a line break at its end',
      { ...page, count: 1, bytes: unended.length, sha256: sha256(unended) },
      unended,
      'its last line is cut off',
    ],
    ['with another number of lines', { ...page, count: 3 }, object, '2 lines; the manifest has 3'],
  ])('reports a page %s', async (...[, entry, bytes, problem]) => {
    expect(await checkObject(entry, bytes)).toMatchObject({ problem: expect.stringContaining(problem) })
  })
})

it('reads 8 objects at a time and returns all of them in order', async () => {
  const objects = Array.from({ length: 20 }, (_, index) => ({ ...page, key: `p${index}` }))
  const started: string[] = []
  const keys: string[] = []
  const ahead: number[] = []
  const read = async (key: string) => {
    started.push(key)
    return key === 'p3' ? undefined : object
  }
  for await (const checked of checkedObjects(objects, read)) {
    ahead.push(started.length - keys.push(checked.object.key) + 1)
    expect('problem' in checked).toBe(checked.object.key === 'p3')
  }
  expect(keys).toEqual(objects.map(({ key }) => key))
  expect(ahead).toEqual([...Array(12).fill(8), 8, 7, 6, 5, 4, 3, 2, 1])
})

describe('verification', () => {
  it('counts unique ids over all pages as the worker does', () => {
    const verifying = verification('id')
    for (const lines of ['{"id":1}\n{"id":2}\n', '{"id":2}\n{"none":1}\n', '']) {
      verifying.add({ object: page, lines: Buffer.from(lines) })
    }
    const published = { latest: { manifest: 'm' }, manifest: { uniqueIds: 4 } }
    expect(verifying.end(published as never)).toMatchObject({
      uniqueIds: 3,
      mismatches: [
        { key: 'm', problem: expect.stringContaining('4 unique ids; by the field id there are 3') },
      ],
    })
  })

  it('reports a manifest with fewer unique ids than its pages', () => {
    const verifying = verification('id')
    verifying.add({ object: page, lines: Buffer.from('{"id":1}\n{"id":2}\n') })
    const published = { latest: { manifest: 'm' }, manifest: { uniqueIds: 1 } }
    expect(verifying.end(published as never).mismatches).toMatchObject([{ key: 'm' }])
  })

  it('reports a page with a line that is not a JSON document', () => {
    const verifying = verification('id')
    verifying.add({ object: page, lines: Buffer.from('{"id":1}\n{"id":\n') })
    expect(verifying.end({ manifest: { uniqueIds: 0 } } as never).mismatches).toHaveLength(1)
  })
})

describe('compareMetadata', () => {
  const manifestKey = 'snapshots/CL/r1/manifest.json'
  const latest = { runId: 'r1', manifest: manifestKey, publishedAt: '', documents: 2 }
  const key = 'snapshots/CL/r1/p'
  const manifest = {
    version: 1,
    entity: 'CL',
    runId: 'r1',
    documents: 2,
    pages: [{ ...page, documents: 2, key }],
  }
  const compare = (change: object) =>
    compareMetadata('CL', { latest, manifest, recorded: latest, ...change } as never)

  it('finds nothing if everything agrees', () => {
    expect(compare({})).toEqual([])
  })

  it.each<[string, object, string]>([
    ['latest.json with another manifest', { latest: { ...latest, manifest: 'x' } }, 'points to x'],
    ['latest.json with another count', { latest: { ...latest, documents: 3 } }, 'it has 3 documents'],
    ['a table without a published run', { recorded: undefined }, 'no published run'],
    ['a table with another run', { recorded: { ...latest, runId: 'r0' } }, 'the state table has r0'],
    ['a manifest of another entity', { manifest: { ...manifest, entity: 'AD' } }, 'run r1 of AD'],
    ['a wrong sum', { manifest: { ...manifest, pages: [] } }, 'add up to 0'],
    [
      'a page listed twice',
      { manifest: { ...manifest, documents: 4, pages: [...manifest.pages, ...manifest.pages] } },
      'a page twice',
    ],
    [
      'a page of another run',
      { manifest: { ...manifest, pages: [{ ...page, documents: 2, key: 'snapshots/CL/r0/p' }] } },
      'another run',
    ],
  ])('reports %s', (_, change, problem) => {
    expect(compare(change)).toContainEqual({
      key: expect.any(String),
      problem: expect.stringContaining(problem),
    })
  })
})
