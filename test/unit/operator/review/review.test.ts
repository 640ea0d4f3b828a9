import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { DamagedData } from '../../../../operator/errors.ts'
import { reviewRefusal } from '../../../../operator/review/review.ts'
import { reviewedLine } from '../../../../stored/chain/reviewed-ids.ts'
import type { Manifest } from '../../../../stored/snapshots/manifest.ts'

const objects = new Map<string, Buffer>()
const read = async (key: string) => objects.get(key)

/** Stores the pages of a snapshot, with two documents each. */
function manifestOf(runId: string, documents: readonly object[]): Manifest {
  const pages = []
  for (let at = 0; at < documents.length; at += 2) {
    const lines = documents.slice(at, at + 2).map((document) => `${JSON.stringify(document)}\n`)
    const body = gzipSync(lines.join(''))
    const key = `${runId}/${at}`
    objects.set(key, body)
    const sha256 = createHash('sha256').update(body).digest('hex')
    pages.push({ key, documents: lines.length, bytes: body.length, sha256 })
  }
  const ids = new Set(documents.map((document) => JSON.stringify('id' in document ? document.id : document)))
  return { idField: 'id', documents: documents.length, uniqueIds: ids.size, pages } as unknown as Manifest
}

const ids = (...list: (number | string)[]) => list.map((id) => ({ id }))
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)
const nothingElse = { over: [], deleted: undefined }
const review = (before: readonly object[] | undefined, after: readonly object[]) =>
  reviewRefusal(
    { ...nothingElse, before: before && manifestOf('before', before), after: manifestOf('after', after) },
    read,
  )

describe('the review of a refused snapshot', () => {
  it('counts what is missing and what is new by ids', async () => {
    expect(await review(ids(1, 2, 3, 4, 5), ids(3, 9, 1))).toMatchObject({
      before: 5,
      after: 3,
      missing: 3,
      created: 1,
      sample: ['{"id":2}', '{"id":4}', '{"id":5}'],
    })
  })

  it('counts documents that were withheld, and those of which an increment delivered a newer version once', async () => {
    const over = manifestOf('withheld', ids(3, 7, 8)).pages.map((page) => ({
      ...page,
      from: 'withheld' as const,
      countedAbsences: 0 as const,
    }))
    const before = manifestOf('before', ids(1, 2, 3))
    const after = manifestOf('after', ids(1, 3, 8, 9))
    expect(await reviewRefusal({ ...nothingElse, before, over, after }, read)).toMatchObject({
      before: 5,
      after: 4,
      missing: 2,
      created: 1,
      sample: ['{"id":2}', '{"id":7}'],
    })
  })

  it('counts as missing what the comparison recorded as deleted, and the rest as withheld', async () => {
    const records = [{ id: 1, n: 2 }, { id: 7 }, { id: 8, n: 1 }, { id: 8, n: 2 }, { id: 9 }].map(
      (after) => ({ op: 'r', id: after.id, after }),
    )
    const over = manifestOf('increment', records).pages.map((page) => ({
      ...page,
      from: 'increment' as const,
      holds: 'records' as const,
    }))
    const before = manifestOf('before', ids(1, 2, 3))
    const after = manifestOf('after', ids(3, 9, 10))
    const lines = gzipSync(['2', '8'].map((id) => `${reviewedLine(id).toString()}\n`).join(''))
    objects.set('reviewed', lines)
    const sha256 = createHash('sha256').update(lines).digest('hex')
    const deleted = [{ key: 'reviewed', records: 2, bytes: lines.length, sha256 }]
    expect(await reviewRefusal({ before, over, deleted, after }, read)).toMatchObject({
      before: 6,
      after: 5,
      missing: 2,
      created: 1,
      sample: ['{"id":2}', '{"id":8,"n":2}'],
    })
  })

  it('knows a number from its text', async () => {
    expect(await review(ids(1, '1'), ids('1'))).toMatchObject({ missing: 1, sample: ['{"id":1}'] })
  })

  it('counts a document that occurs twice only once', async () => {
    expect(await review(ids(1, 2, 2, 3, 1), ids(3))).toMatchObject({
      before: 3,
      missing: 2,
      created: 0,
      sample: ['{"id":2}', '{"id":1}'],
    })
  })

  it('samples at most five documents, from all over the snapshot', async () => {
    const { sample, missing } = await review(ids(...numbers(0, 100)), ids(1000))
    expect(missing).toBe(100)
    expect(sample).toEqual([0, 16, 32, 48, 64].map((id) => `{"id":${id}}`))
  })

  it('shows how the missing documents are distributed', async () => {
    const before = [
      { id: 1, createdIn: '2026-03-01T00:00:00Z', country: 'BRA' },
      { id: 2, createdIn: '2026-03-02T00:00:00Z', country: 'ARG' },
    ]
    expect(await review(before, ids(1))).toMatchObject({
      months: [{ value: '2026-03', before: 2, missing: 1 }],
      fields: [
        { field: 'id' },
        { field: 'createdIn' },
        { field: 'country', values: [{ value: '"ARG"' }, {}] },
      ],
    })
  })

  it('finds nothing missing before the first publication', async () => {
    expect(await review(undefined, ids(1))).toMatchObject({
      before: 0,
      after: 1,
      missing: 0,
      created: 1,
      sample: [],
    })
  })

  it('finds everything missing in an empty snapshot', async () => {
    expect(await review(ids(1, 2, 3), [])).toMatchObject({ before: 3, after: 0, missing: 3, created: 0 })
  })

  it('fails if a page is not what its manifest lists', async () => {
    const after = manifestOf('after', ids(1))
    objects.set('after/0', gzipSync('{"id":2}\n'))
    await expect(reviewRefusal({ ...nothingElse, before: undefined, after }, read)).rejects.toThrow(
      DamagedData,
    )
  })
})
