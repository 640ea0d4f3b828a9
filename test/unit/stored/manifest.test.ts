import { describe, expect, it } from 'vitest'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import { attemptOfPageKey, pageKey, resultOfManifest, tableOf } from '../../../stored/snapshots/manifest.ts'

const attempt = { entity: 'CL', runId: 'r', attempt: 12 }

describe('the key of an object of a snapshot', () => {
  it.each([
    [attempt, '', 'a12-p000007-unique.ndjson.gz'],
    [{ ...attempt, range: 0 }, 'r0', 'r0-a12-p000007-unique.ndjson.gz'],
    [{ ...attempt, range: 10 }, 'r10', 'r10-a12-p000007-unique.ndjson.gz'],
  ])('of a page of %o names the range "%s" and the attempt', (given, range, name) => {
    const key = `snapshots/CL/r/${name}`
    expect(pageKey(given, 7, 'unique')).toBe(key)
    expect(attemptOfPageKey(key)).toEqual({ range, attempt: 12 })
  })

  it.each([
    ['', 'check-a12-p000001.bin'],
    ['r10', 'check-r10-a12-p000001.bin'],
  ])('of what was checked of pages names the range "%s" and the attempt: %s', (range, name) => {
    expect(attemptOfPageKey(`snapshots/CL/r/${name}`)).toEqual({ range, attempt: 12 })
  })

  it.each([
    ...'snapshots/CL/r/manifest.json snapshots/CL/r/check-manifest.json'.split(' '),
    ...'snapshots/CL/r/check-set.json snapshots/CL/r/check-listed-p000001.bin'.split(' '),
    ...'snapshots/CL/r/a1-p000007 snapshots/CL/r/a1-px-unique.ndjson.gz'.split(' '),
    ...'snapshots/CL/r/ax-p000007-unique.ndjson.gz snapshots/CL/r/a-p000007-unique.ndjson.gz'.split(' '),
    ...'snapshots/CL/r/a1-p-unique.ndjson.gz snapshots/CL/r/xa1-p000007-unique.ndjson.gz'.split(' '),
    'snapshots/CL/a1-p000007-unique.ndjson.gz/notes.txt',
  ])('of another object names no attempt: %s', (key) => expect(attemptOfPageKey(key)).toBeUndefined())
})

it('an accepted snapshot has the ranges, the proof and the times of its refused manifest', () => {
  const ranges = [{ where: 'a', documents: 2, reportedTotal: 2, attempts: 1 }]
  const partitionedBy = { by: 'x', count: 1, absences: 'proven', boundaries: [], searchedAt: 's' } as const
  const proven = { proof: 'exact', documents: 2, uniqueIds: 1, reportedTotal: 2, pageSize: 100 } as const
  const times = { openedAt: 'o', finishedAt: 'f', spent: { requests: 1, receivedBytes: 2, milliseconds: 3 } }
  const manifest = { ...proven, ...times, partitions: ranges, partitionedBy, pages: [{}], runId: 'r' }
  const partitions = { ...partitionedBy, ranges }
  expect(resultOfManifest(manifest as unknown as Manifest)).toEqual({
    ...proven,
    ...times,
    pages: 1,
    partitions,
  })
})

it('the list for Athena has the address of each page on one line', () => {
  const pages = [{ key: 'snapshots/CL/r/one' }, { key: 'snapshots/CL/r/two' }]
  const manifest = { pages } as unknown as Manifest
  expect(tableOf('bucket', manifest)).toBe('s3://bucket/snapshots/CL/r/one\ns3://bucket/snapshots/CL/r/two\n')
})
