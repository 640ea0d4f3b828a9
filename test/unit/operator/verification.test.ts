import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  checkedObjects,
  checkObject,
  objectsOfPages,
  objectsOfParts,
} from '../../../operator/snapshot/checked-objects.ts'
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
    expect(await checkObject(entry, bytes)).toEqual({ object: entry, problem })
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

it('does not fail for reads that a caller which stopped early does not await', async () => {
  const objects = ['a', 'b'].map((key) => ({ ...page, key }))
  const read = async (key: string) => {
    if (key === 'b') throw new Error('Aborted.')
    return object
  }
  for await (const checked of checkedObjects(objects, read)) {
    expect(checked.object.key).toBe('a')
    break
  }
})

it('has the count of each page and of each part of a change set as its number of lines', () => {
  const { count, ...stored } = page
  expect(objectsOfPages([{ ...stored, documents: count }])).toEqual([page])
  expect(objectsOfParts([{ ...stored, records: count }])).toEqual([page])
})

describe('verification', () => {
  it('counts unique ids over all pages as the worker does', () => {
    const verifying = verification('id')
    for (const lines of ['{"id":1}\n{"id":2}\n', '{"id":2}\n{"none":1}\n', '']) {
      verifying.add({ object: page, lines: Buffer.from(lines) })
    }
    const published = { latest: { manifest: 'm' }, manifest: { uniqueIds: 4 } }
    expect(verifying.end(published as never)).toEqual({
      documents: 6,
      uniqueIds: 3,
      mismatches: [
        {
          key: 'm',
          problem:
            'it has 4 unique ids; the documents have 3 in the field id. This is expected only if idField was changed after the publication.',
        },
      ],
    })
  })

  it('reports nothing if the pages have the unique ids of the manifest', () => {
    const verifying = verification('id')
    verifying.add({ object: page, lines: Buffer.from('{"id":1}\n{"id":2}\n') })
    expect(verifying.end({ manifest: { uniqueIds: 2 } } as never)).toEqual({
      documents: 2,
      uniqueIds: 2,
      mismatches: [],
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
    // The other unique ids follow from the page that is missing.
    expect(verifying.end({ latest: { manifest: 'm' }, manifest: { uniqueIds: 2 } } as never)).toEqual({
      documents: 2,
      uniqueIds: 0,
      mismatches: [{ key: 'p', problem: 'it has a line that is not a JSON document' }],
    })
  })

  it('reports a damaged page, and does not count its documents', () => {
    const verifying = verification('id')
    verifying.add({ object: page, problem: 'not gzip' })
    expect(verifying.end({ latest: { manifest: 'm' }, manifest: { uniqueIds: 2 } } as never)).toEqual({
      documents: 0,
      uniqueIds: 0,
      mismatches: [{ key: 'p', problem: 'not gzip' }],
    })
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
    const pages = ['p', 'q'].map((name) => ({ ...page, documents: 1, key: `snapshots/CL/r1/${name}` }))
    expect(compare({ manifest: { ...manifest, pages } })).toEqual([])
  })

  const latestJson = 'snapshots/CL/latest.json'
  it.each<[name: string, change: object, key: string, problem: string]>([
    [
      'latest.json with another manifest',
      { latest: { ...latest, manifest: 'x' } },
      latestJson,
      'it points to x',
    ],
    [
      'latest.json with another count',
      { latest: { ...latest, documents: 3 } },
      latestJson,
      'it has 3 documents; the manifest has 2',
    ],
    [
      'a table without a published run',
      { recorded: undefined },
      latestJson,
      'it points to run r1; the state table has no published run',
    ],
    [
      'a table with another run',
      { recorded: { ...latest, runId: 'r0' } },
      latestJson,
      'it points to run r1; the state table has r0',
    ],
    [
      'a manifest of another entity',
      { manifest: { ...manifest, entity: 'AD' } },
      manifestKey,
      'it belongs to run r1 of AD',
    ],
    [
      'a wrong sum',
      { manifest: { ...manifest, pages: [] } },
      manifestKey,
      'it has 2 documents; its pages add up to 0',
    ],
    [
      'a page of another run',
      { manifest: { ...manifest, pages: [{ ...page, documents: 2, key: 'snapshots/CL/r0/p' }] } },
      manifestKey,
      'it lists snapshots/CL/r0/p, which belongs to another run',
    ],
  ])('reports %s', (...[, change, mismatched, problem]) => {
    expect(compare(change)).toEqual([{ key: mismatched, problem }])
  })

  it('reports everything that is wrong with a manifest', () => {
    const pages = [...manifest.pages, ...manifest.pages]
    expect(compare({ manifest: { ...manifest, runId: 'r2', pages } })).toEqual(
      [
        'it belongs to run r2 of CL',
        'it has 2 documents; its pages add up to 4',
        'it lists a page twice',
        'it lists snapshots/CL/r1/p, which belongs to another run',
      ].map((problem) => ({ key: manifestKey, problem })),
    )
  })
})
