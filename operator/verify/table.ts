import { readTable } from '../../functions/problems/table-state.ts'
import { Damaged } from '../../functions/publisher/check/damage.ts'
import { sumText } from '../../functions/publisher/check/set/canonical.ts'
import type { Column } from '../../functions/runtime/settings-schema/columns.ts'
import { type CheckedFile, checkFile, type ManifestEntry } from '../../functions/tables/check/check-file.ts'
import { checkTable, type ListedManifest } from '../../functions/tables/check/check-table.ts'
import { mismatch } from '../../functions/tables/check/mismatch.ts'
import { pagesOfFiles } from '../../functions/tables/check/page-documents.ts'
import type { TypedColumn } from '../../functions/tables/check/parquet-file.ts'
import { type SupersededLines, supersededIn } from '../../stored/chain/superseded.ts'
import { isIntactAvro } from '../../stored/iceberg/avro-file.ts'
import { listedManifests, liveFiles } from '../../stored/iceberg/manifests.ts'
import { currentSnapshot, runIn, type TableMetadata } from '../../stored/iceberg/metadata.ts'
import { tableColumns } from '../../stored/iceberg/table-schema.ts'
import { type Latest, type Manifest, manifestKey } from '../../stored/snapshots/manifest.ts'
import { type TableLatest, tableLatestKey } from '../../stored/tables/table.ts'
import { type ExaminedFact, existing, expectEqual, jsonIn } from './examination.ts'
import type { CountedSnapshot } from './snapshots.ts'
import type { VerifiedEntity } from './stored-entity.ts'

/** A table that was published, and the snapshot that it must have. */
export interface PublishedTable extends Pick<VerifiedEntity, 'entity' | 'tables' | 'now' | 'examination'> {
  readonly columns: readonly Column[]
  /** The published snapshot, as the state table has it. */
  readonly published: Latest
  readonly snapshots: ReadonlyMap<string, CountedSnapshot>
}

type Check<T> = (bytes: Buffer | undefined) => T | Promise<T>

const examine = <T>({ examination }: PublishedTable, key: string, check: Check<T>) =>
  examination.object({ key, check, neededBy: 'table' })

/** Checks what leads to the data files of a stored table, and each current row. Returns how many files these have. */
export async function checkStoredTable(table: PublishedTable): Promise<number> {
  const objects = await Array.fromAsync(table.tables.listObjects(table.entity))
  const latest = await checkLatest(table, objects)
  const metadata = latest && (await checkMetadata(table, latest))
  if (!latest || !metadata) return 0
  const sizes = new Map(objects.map(({ key, bytes }) => [key, bytes]))
  let files = 0
  for (const { 'snapshot-id': id, 'manifest-list': list } of metadata.snapshots) {
    const manifests = await checkManifests(table, list)
    if (!manifests) continue
    const entries = entriesOf(manifests)
    await examine(table, latest.metadata, (bytes) => {
      const { summary = {} } =
        metadataIn(latest.metadata, bytes).snapshots.find((one) => one['snapshot-id'] === id) ?? {}
      const sumOf = (name: 'record_count' | 'file_size_in_bytes') =>
        String(entries.reduce((sum, entry) => sum + entry[name], 0))
      expectEqual([
        ['data files', summary['total-data-files'], String(entries.length)],
        ['bytes in them', summary['total-files-size'], sumOf('file_size_in_bytes')],
        ['rows in them', summary['total-records'], sumOf('record_count')],
      ])
    })
    // Without a current snapshot, erasure has removed its rows. Those of earlier ones are not compared again.
    if (id === metadata['current-snapshot-id']) {
      await checkRows(table, latest, manifests)
      files = entries.length
    } else await checkSizes(table, sizes, entries)
  }
  return files
}

const entriesOf = (manifests: readonly ListedManifest[]): readonly ManifestEntry[] =>
  manifests.flatMap(({ files }) => files.map(({ file }) => file))

async function checkSizes(
  table: PublishedTable,
  sizes: ReadonlyMap<string, number>,
  entries: readonly ManifestEntry[],
): Promise<void> {
  for (const { file_path: address, file_size_in_bytes: size } of entries) {
    const key = table.tables.keyOf(address)
    if (sizes.get(key) !== size)
      await examine(table, key, (bytes) => expectEqual([['bytes', existing(bytes).length, size]]))
  }
}

/** `latest.json` has the table of the published snapshot, unless that failed or is being made. */
async function checkLatest(
  table: PublishedTable,
  objects: readonly { readonly key: string }[],
): Promise<TableLatest | undefined> {
  const { entity, published: snapshot, tables, now } = table
  const key = tableLatestKey(entity)
  const hasFiles = objects.some((object) => object.key.endsWith('.metadata.json'))
  return examine(table, key, async (bytes) => {
    const value = bytes && latestIn(key, bytes)
    const readLatest = async () => value && { value, etag: '' }
    const { state } = await readTable({ ...tables, readLatest }, entity, { snapshot, now })
    const isUnexplained = state.kind === 'behind' && state.reason === null
    const found = value ? `has the table of ${value.runId}` : 'does not exist'
    if (isUnexplained || (!value && hasFiles)) throw new Damaged(`${found}; ${snapshot.runId} is published`)
    return value
  })
}

const latestIn = (key: string, bytes: Buffer | undefined) =>
  jsonIn<TableLatest>(bytes, key, ['runId', 'metadata', 'rows', 'columns'])

const metadataIn = (key: string, bytes: Buffer | undefined) =>
  jsonIn<TableMetadata>(bytes, key, ['snapshots', 'refs', 'schemas'])

async function checkMetadata(table: PublishedTable, latest: TableLatest): Promise<TableMetadata | undefined> {
  const { metadata: key, runId } = latest
  const latestKey = tableLatestKey(table.entity)
  const stored = await examine(table, key, (bytes) => metadataIn(key, bytes))
  if (!stored) return undefined
  // Only the older versions of both show which one is wrong.
  await examine(table, latestKey, (bytes) => {
    const value = latestIn(latestKey, bytes)
    expectEqual([['the metadata', value.metadata, key], ...agreement(value, stored)])
  })
  return examine(table, key, (bytes) => {
    const metadata = metadataIn(key, bytes)
    const current = currentSnapshot(metadata)
    if (metadata['current-snapshot-id'] === undefined) return metadata
    const { summary = {} } = current ?? {}
    const { manifest } = table.snapshots.get(runId) ?? {}
    const address = manifest && table.tables.addressOf(manifestKey(manifest.entity, runId))
    expectEqual([
      ...agreement(latest, metadata),
      ['unique ids', summary['total-records'], String(manifest?.uniqueIds ?? latest.rows)],
      ['the branch main', metadata.refs.main?.['snapshot-id'], metadata['current-snapshot-id']],
      ['the last sequence number', metadata['last-sequence-number'], current?.['sequence-number']],
      ['the proof', summary['longshore.proof'], manifest?.proof ?? summary['longshore.proof']],
      ['the manifest', summary['longshore.manifest'], address ?? summary['longshore.manifest']],
    ])
    return metadata
  })
}

const fieldsOf = (metadata: TableMetadata) =>
  metadata.schemas.find((one) => one['schema-id'] === metadata['current-schema-id'])?.fields ?? []

/** What `latest.json` and the metadata both have. */
function agreement({ runId, rows, columns }: TableLatest, metadata: TableMetadata): readonly ExaminedFact[] {
  const current = currentSnapshot(metadata)
  if (metadata['current-snapshot-id'] === undefined) return []
  const own = Object.entries(columns).map(([name, { id }]) => `${id} ${name}`)
  const fields = fieldsOf(metadata).map(({ id, name }) => `${id} ${name}`)
  return [
    ['the run', current && runIn(current), runId],
    ['rows', current?.summary['total-records'], String(rows)],
    ['columns', fields.toSorted().join(), own.toSorted().join()],
  ]
}

/** The data files; undefined if what leads to them is damaged. */
async function checkManifests(table: PublishedTable, list: string): Promise<ListedManifest[] | undefined> {
  const avro = <T>(address: string, read: (file: Buffer) => T, bytes?: number) =>
    examine(table, table.tables.keyOf(address), (found) => {
      const file = existing(found)
      if (!isIntactAvro(file)) throw new Damaged('is not as it was written')
      expectEqual([['bytes', file.length, bytes ?? file.length]])
      return read(file)
    })
  const listed = await avro(list, listedManifests)
  const manifests: ListedManifest[] = []
  let isWhole = listed !== undefined
  for (const manifest of listed ?? []) {
    const { manifest_path: address, manifest_length: bytes } = manifest
    const files = await avro(address, (file) => liveFiles(file, 0), bytes)
    isWhole &&= files !== undefined
    manifests.push({ ...manifest, files: files ?? [] })
  }
  return isWhole ? manifests : undefined
}

/** Each row is that of its document. A page that is damaged, or columns that were configured since, show nothing of it. */
async function checkRows(
  table: PublishedTable,
  latest: TableLatest,
  manifests: readonly ListedManifest[],
): Promise<void> {
  const entries = entriesOf(manifests)
  const { tables } = table
  const { manifest, count } = table.snapshots.get(latest.runId) ?? {}
  const columns = columnsOf(table, latest)
  if (!manifest || !count || !columns) return
  const { pages, uniqueIds } = manifest
  const source = { readObject: tables.readObject, checkTime: () => undefined, damaged: mismatch }
  const superseded = await supersededIn(source, manifest)
  const filePages = pagesOfFiles(manifest, superseded)
  const checked: CheckedFile[] = []
  let from = 0
  for (const [index, entry] of entries.entries()) {
    const to = index === entries.length - 1 ? pages.length : endOf(pages, superseded, { from, entry })
    const own = filePages(from, to)
    const key = tables.keyOf(entry.file_path)
    const found = await examine(table, key, (bytes) => {
      const file = { bytes: existing(bytes), etag: '', entry }
      const counted = { rejected: {}, absent: columns.map(nullsIn(entry)), areIdsStrings: false }
      return checkFile({ ...own, ...counted, columns, file }, tables.readObject, 'all')
    })
    if (found) checked.push(found)
    from = to
  }
  if (checked.length < entries.length) return
  const objects = new Map(checked.map(({ address, bytes }) => [address ?? '', { bytes, etag: '' }]))
  const idSum = sumText(count.idSum)
  const expected = { columns: table.columns, written: columns, checked, uniqueIds, idSum }
  await examine(table, latest.metadata, (bytes) =>
    checkTable({ fields: fieldsOf(metadataIn(latest.metadata, bytes)), manifests, objects }, expected),
  )
}

/** Which values of a column are null is not counted again. */
const nullsIn =
  ({ null_value_counts: counts }: ManifestEntry) =>
  ({ fieldId }: TypedColumn): number =>
    counts?.find(({ key }) => key === fieldId)?.value ?? 0

/** The columns with their field ids; undefined if the table has other ones. */
function columnsOf({ columns }: PublishedTable, { columns: stored }: TableLatest): TypedColumn[] | undefined {
  const typed = columns.map((column) => ({ ...column, fieldId: stored[column.name]?.id ?? 0 }))
  const text = (of: TableLatest['columns']) =>
    JSON.stringify(Object.entries(of).map(([name, { id, type, from, hash }]) => [name, id, type, from, hash]))
  return text(tableColumns(typed)) === text(stored) ? typed : undefined
}

/** Where the pages of a file with so many rows end. */
function endOf(
  pages: Manifest['pages'],
  superseded: SupersededLines,
  { from, entry }: { readonly from: number; readonly entry: ManifestEntry },
): number {
  let to = from
  for (let rows = 0; to < pages.length && rows < entry.record_count; to++)
    rows += (pages[to]?.documents ?? 0) - (superseded.get(to)?.size ?? 0)
  return to
}
