import { isDeepStrictEqual } from 'node:util'
import { pick } from '../../functions/runtime/pick.ts'
import { maxQueryMs } from '../tables/query-time.ts'
import { type FileColumn, schemaFields, type TableSchema } from './table-schema.ts'

/** Iceberg specification, "Snapshots". */
export interface IcebergSnapshot {
  readonly 'snapshot-id': number
  readonly 'parent-snapshot-id'?: number
  readonly 'sequence-number': number
  readonly 'timestamp-ms': number
  readonly 'schema-id': number
  readonly 'manifest-list': string
  readonly summary: Readonly<Record<string, string>>
}

interface LogEntry {
  readonly 'timestamp-ms': number
}

/** The content of a `metadata.json` (Iceberg specification, "Table Metadata Fields", format version 2). */
export interface TableMetadata {
  readonly 'format-version': 2
  readonly 'table-uuid': string
  readonly location: string
  readonly 'last-sequence-number': number
  readonly 'last-updated-ms': number
  readonly 'last-column-id': number
  readonly schemas: readonly TableSchema[]
  readonly 'current-schema-id': number
  readonly 'partition-specs': readonly [{ readonly 'spec-id': 0; readonly fields: readonly [] }]
  readonly 'default-spec-id': 0
  readonly 'last-partition-id': 999
  readonly 'sort-orders': readonly [{ readonly 'order-id': 0; readonly fields: readonly [] }]
  readonly 'default-sort-order-id': 0
  readonly properties: Readonly<Record<string, string>>
  /** Absent of a table without snapshots. */
  readonly 'current-snapshot-id'?: number
  readonly snapshots: readonly IcebergSnapshot[]
  readonly 'snapshot-log': readonly (LogEntry & { readonly 'snapshot-id': number })[]
  /** The metadata files that commits of the last day replaced. */
  readonly 'metadata-log': readonly (LogEntry & { readonly 'metadata-file': string })[]
  readonly refs: { readonly main?: { readonly 'snapshot-id': number; readonly type: 'branch' } }
}

/** A table that is stored, and the address of its metadata. */
export interface StoredMetadata {
  readonly metadata: TableMetadata
  readonly address: string
}

export interface Commit {
  readonly snapshotId: number
  readonly manifestList: string
  readonly summary: Readonly<Record<string, string>>
  readonly schema: TableSchema
  readonly lastColumnId: number
  readonly now: number
}

/** The identity of a table that does not exist yet. */
export interface NewTable {
  readonly uuid: string
  readonly location: string
}

const runProperty = 'longshore.run-id'

/** The run whose snapshot an Iceberg snapshot contains. */
export const runIn = ({ summary }: IcebergSnapshot): string => summary[runProperty] ?? ''

/** The snapshot whose rows the table has. */
export const currentSnapshot = (metadata: TableMetadata): IcebergSnapshot | undefined =>
  metadata.snapshots.find((one) => one['snapshot-id'] === metadata['current-snapshot-id'])

/** The schema with these columns: that of an earlier commit if it had the same. */
export function schemaOf(
  columns: readonly FileColumn[],
  schemas: readonly TableSchema[] | undefined = [],
): TableSchema {
  const fields = schemaFields(columns)
  const known = schemas.find((schema) => isDeepStrictEqual(schema.fields, fields))
  if (known) return known
  const id = Math.max(-1, ...schemas.map((schema) => schema['schema-id'])) + 1
  return { type: 'struct', 'schema-id': id, fields }
}

/** What the next snapshot of a table continues. */
export const nextSnapshot = (metadata: TableMetadata | undefined) => ({
  parentId: metadata?.['current-snapshot-id'],
  sequenceNumber: (metadata?.['last-sequence-number'] ?? 0) + 1,
})

/** The metadata after a publication, which replaces all rows. `isKept`: whether the Iceberg snapshot of a run stays. */
export function withCommit(
  previous: StoredMetadata | NewTable,
  commit: Commit,
  isKept: (runId: string) => boolean,
): TableMetadata {
  const stored = 'metadata' in previous ? previous.metadata : undefined
  const { uuid, location } =
    'metadata' in previous
      ? { uuid: previous.metadata['table-uuid'], location: previous.metadata.location }
      : previous
  const { schema, snapshotId } = commit
  const { parentId, sequenceNumber } = nextSnapshot(stored)
  // Readers expect times that do not go back, whatever the clock does.
  const time = Math.max(commit.now, (stored?.['last-updated-ms'] ?? 0) + 1)
  const kept = (stored?.snapshots ?? []).filter((snapshot) => isKept(runIn(snapshot)))
  const snapshot: IcebergSnapshot = {
    'snapshot-id': snapshotId,
    ...(kept.some((one) => one['snapshot-id'] === parentId) && { 'parent-snapshot-id': parentId as number }),
    'sequence-number': sequenceNumber,
    'timestamp-ms': time,
    'schema-id': schema['schema-id'],
    'manifest-list': commit.manifestList,
    summary: { operation: 'overwrite', ...commit.summary },
  }
  const schemas = stored?.schemas ?? []
  return {
    'format-version': 2,
    'table-uuid': uuid,
    location,
    'last-sequence-number': sequenceNumber,
    'last-updated-ms': time,
    'last-column-id': Math.max(commit.lastColumnId, stored?.['last-column-id'] ?? 0),
    schemas: schemas.some((one) => one['schema-id'] === schema['schema-id']) ? schemas : [...schemas, schema],
    'current-schema-id': schema['schema-id'],
    'partition-specs': [{ 'spec-id': 0, fields: [] }],
    'default-spec-id': 0,
    'last-partition-id': 999,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    'default-sort-order-id': 0,
    properties: stored?.properties ?? {},
    'current-snapshot-id': snapshotId,
    ...listed([...kept, snapshot]),
    'metadata-log': 'metadata' in previous ? replaced(previous, time) : [],
    refs: { main: { 'snapshot-id': snapshotId, type: 'branch' } },
  }
}

/** The metadata without the Iceberg snapshots that must go. Without the current one the table has no rows. */
export function withoutSnapshots(
  previous: StoredMetadata,
  isKept: (runId: string) => boolean,
  now: number,
): TableMetadata {
  const { 'current-snapshot-id': current, refs, ...metadata } = previous.metadata
  const time = Math.max(now, metadata['last-updated-ms'] + 1)
  const kept = metadata.snapshots.filter((snapshot) => isKept(runIn(snapshot)))
  const isCurrentKept = current !== undefined && kept.some((one) => one['snapshot-id'] === current)
  return {
    ...metadata,
    'last-updated-ms': time,
    ...(isCurrentKept && { 'current-snapshot-id': current }),
    ...listed(kept),
    'metadata-log': replaced(previous, time),
    refs: isCurrentKept ? refs : {},
  }
}

const listed = (snapshots: readonly IcebergSnapshot[]) => ({
  snapshots,
  'snapshot-log': snapshots.map((one) => pick(one, 'timestamp-ms', 'snapshot-id')),
})

function replaced(previous: StoredMetadata, now: number): TableMetadata['metadata-log'] {
  const { metadata, address } = previous
  const entry = { 'timestamp-ms': metadata['last-updated-ms'], 'metadata-file': address }
  return [...recentlyReplaced(metadata, now), entry]
}

/** The metadata files with which a query may have begun that is still running. */
export function recentlyReplaced(metadata: TableMetadata, now: number): TableMetadata['metadata-log'] {
  return metadata['metadata-log'].filter((_, index, log) => {
    const replacedAt = log[index + 1]?.['timestamp-ms'] ?? metadata['last-updated-ms']
    return replacedAt >= now - maxQueryMs
  })
}

/** The data files that a commit adds or deletes. */
export interface FileTotals {
  readonly files: number
  readonly rows: number
  readonly bytes: number
}

/** The summary of a publication (Iceberg specification, "Optional Snapshot Summary Fields"). */
export function icebergSummary(publication: {
  readonly runId: string
  readonly proof: string
  /** Address of the snapshot's manifest. */
  readonly manifest: string
  readonly added: FileTotals
  readonly deleted: FileTotals
  readonly rejected: Readonly<Record<string, number>>
}): Readonly<Record<string, string>> {
  const { runId, proof, manifest, added, deleted, rejected } = publication
  const counts = Object.entries(rejected).map(([name, n]) => [`longshore.rejected.${name}`, String(n)])
  return {
    [runProperty]: runId,
    'longshore.proof': proof,
    'longshore.manifest': manifest,
    ...Object.fromEntries(counts),
    'added-data-files': String(added.files),
    'added-records': String(added.rows),
    'added-files-size': String(added.bytes),
    'deleted-data-files': String(deleted.files),
    'deleted-records': String(deleted.rows),
    'removed-files-size': String(deleted.bytes),
    'total-data-files': String(added.files),
    'total-records': String(added.rows),
    'total-files-size': String(added.bytes),
    'total-delete-files': '0',
    'total-position-deletes': '0',
    'total-equality-deletes': '0',
  }
}
