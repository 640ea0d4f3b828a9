import { describe, expect, it } from 'vitest'
import type { Commit, StoredMetadata, TableMetadata } from '../../../../stored/iceberg/metadata.ts'
import { icebergSummary, withCommit, withoutSnapshots } from '../../../../stored/iceberg/metadata.ts'

const schema = (id: number) => ({ type: 'struct' as const, 'schema-id': id, fields: [] })
const newTable = { uuid: 'f9b1', location: 's3://bucket/iceberg/CL' }
const hour = 3_600_000

function commitOf(run: number, change: Partial<Commit> = {}): Commit {
  const summary = icebergSummary({
    runId: `r${run}`,
    proof: 'exact',
    manifest: `s3://bucket/snapshots/CL/r${run}/manifest.json`,
    added: { files: 2, rows: 10, bytes: 300 },
    deleted: { files: 1, rows: 9, bytes: 200 },
    rejected: {},
  })
  const manifestList = `s3://bucket/iceberg/CL/r${run}.avro`
  return {
    snapshotId: run,
    manifestList,
    summary,
    schema: schema(0),
    lastColumnId: 4,
    now: run * hour,
    ...change,
  }
}

const stored = (metadata: TableMetadata, run: number): StoredMetadata => ({
  metadata,
  address: `s3://bucket/iceberg/CL/${run}.metadata.json`,
})
const all = () => true

/** A table after one publication per run, one per hour. */
function tableOf(...runs: readonly number[]): TableMetadata {
  const [first = 1, ...others] = runs
  return others.reduce(
    (metadata, run, index) => withCommit(stored(metadata, runs[index] ?? 0), commitOf(run), all),
    withCommit(newTable, commitOf(first), all),
  )
}

describe('the metadata of a table', () => {
  it('lists each publication once, with the previous one as its parent', () => {
    const { snapshots, ...metadata } = tableOf(1, 2, 3)
    expect(metadata).toMatchObject({
      'table-uuid': 'f9b1',
      location: 's3://bucket/iceberg/CL',
      'last-sequence-number': 3,
      'last-updated-ms': 3 * hour,
      'current-snapshot-id': 3,
      schemas: [schema(0)],
      refs: { main: { 'snapshot-id': 3, type: 'branch' } },
      'snapshot-log': [1, 2, 3].map((run) => ({ 'timestamp-ms': run * hour, 'snapshot-id': run })),
    })
    expect(snapshots.map((one) => [one['sequence-number'], one['parent-snapshot-id']])).toEqual([
      [1, undefined],
      [2, 1],
      [3, 2],
    ])
  })

  it('names no parent that is gone, and continues the sequence numbers', () => {
    const after = withCommit(stored(tableOf(1, 2), 2), commitOf(3), (runId) => runId === 'r1')
    expect(after.snapshots.map((one) => one['snapshot-id'])).toEqual([1, 3])
    expect(after.snapshots[1]).not.toHaveProperty('parent-snapshot-id')
    expect(after.snapshots[1]).toMatchObject({ 'sequence-number': 3 })
  })

  it('has times that grow although the clock goes back', () => {
    const before = tableOf(1, 2)
    expect(withCommit(stored(before, 2), commitOf(3, { now: hour }), all)).toMatchObject({
      'last-updated-ms': 2 * hour + 1,
      snapshots: [{}, {}, { 'timestamp-ms': 2 * hour + 1 }],
    })
    expect(withoutSnapshots(stored(before, 2), all, hour)).toMatchObject({ 'last-updated-ms': 2 * hour + 1 })
  })

  it('never forgets the highest column id, and keeps every schema', () => {
    const fewer = withCommit(stored(tableOf(1), 1), commitOf(2, { lastColumnId: 2, schema: schema(1) }), all)
    expect(fewer).toMatchObject({
      'last-column-id': 4,
      'current-schema-id': 1,
      schemas: [schema(0), schema(1)],
    })
    const again = withCommit(stored(fewer, 2), commitOf(3, { lastColumnId: 9 }), all)
    expect(again).toMatchObject({ 'last-column-id': 9, 'current-schema-id': 0, schemas: [{}, {}] })
  })

  it('lists the metadata files that were replaced within a day', () => {
    const after = withCommit(stored(tableOf(1, 2), 2), commitOf(3, { now: 25 * hour }), all)
    expect(after['metadata-log'].map((entry) => entry['metadata-file'])).toEqual(
      [1, 2].map((run) => `s3://bucket/iceberg/CL/${run}.metadata.json`),
    )
    const later = withCommit(stored(after, 3), commitOf(4, { now: 60 * hour }), all)
    expect(later['metadata-log'].map((entry) => entry['metadata-file'])).toEqual([
      's3://bucket/iceberg/CL/3.metadata.json',
    ])
  })

  it('has no current snapshot once that is removed, and the others stay', () => {
    const emptied = withoutSnapshots(stored(tableOf(1, 2), 2), (runId) => runId === 'r1', 5 * hour)
    expect(emptied).not.toHaveProperty('current-snapshot-id')
    expect(emptied.refs).toEqual({})
    expect(withCommit(stored(emptied, 3), commitOf(4), all)['last-sequence-number']).toBe(3)
    expect(emptied).toMatchObject({ snapshots: [{ 'snapshot-id': 1 }], 'last-sequence-number': 2 })
    const kept = withoutSnapshots(stored(tableOf(1, 2), 2), (runId) => runId === 'r2', 5 * hour)
    expect(kept).toMatchObject({ 'current-snapshot-id': 2, refs: { main: { 'snapshot-id': 2 } } })
  })
})
