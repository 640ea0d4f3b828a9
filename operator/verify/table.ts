import { readTable } from '../../functions/problems/table-state.ts'
import { Damaged } from '../../functions/publisher/check/damage.ts'
import type { Column } from '../../functions/runtime/settings-schema/columns.ts'
import { type CheckedFile, checkFile, type ManifestEntry } from '../../functions/tables/check/check-file.ts'
import { checkTable, type ListedManifest } from '../../functions/tables/check/check-table.ts'
import { compareFacts, isMismatch, mismatch } from '../../functions/tables/check/mismatch.ts'
import { pagesOfFiles } from '../../functions/tables/check/page-documents.ts'
import type { TypedColumn } from '../../functions/tables/check/parquet-file.ts'
import { type SupersededLines, supersededIn } from '../../stored/chain/superseded.ts'
import { isIntactAvro } from '../../stored/iceberg/avro-file.ts'
import { listedManifests, liveFiles } from '../../stored/iceberg/manifests.ts'
import { currentSnapshot, runIn, type TableMetadata } from '../../stored/iceberg/metadata.ts'
import { tableColumns } from '../../stored/iceberg/table-schema.ts'
import { type Latest, type Manifest, manifestKey } from '../../stored/snapshots/manifest.ts'
import { type TableLatest, tableLatestKey } from '../../stored/tables/table.ts'
import type { TableStore } from '../../stored/tables/tables.aws.ts'
import { parseObject } from '../../stored/unreadable-object.ts'

/** A table that was published, and the snapshot that it must have. */
export interface PublishedTable {
  readonly entity: string
  readonly columns: readonly Column[]
  /** The published snapshot, as the state table has it. */
  readonly published: Latest
  /** The snapshots whose pages are intact, with the sum of their ids. */
  readonly snapshotOf: (runId: string) => { readonly manifest: Manifest; readonly idSum: string } | undefined
  readonly tables: TableStore
  readonly now: number
  /** What the check of an object returns; undefined if it throws `Damaged`. */
  readonly examine: Examine
}

type Examine = <T>(
  key: string,
  check: (bytes: Buffer | undefined) => T | Promise<T>,
) => Promise<T | undefined>

/** Checks what leads to the data files of a stored table, and each of their rows. Returns how many files there are. */
export async function checkStoredTable({ examine, ...stored }: PublishedTable): Promise<number> {
  const table = { ...stored, examine: damagedBy(examine) }
  const latest = await checkLatest(table)
  const metadata = latest && (await checkMetadata(table, latest))
  // Without a current snapshot, erasure has removed its rows.
  const isErased = metadata && metadata['current-snapshot-id'] === undefined
  const manifests = metadata && !isErased ? await checkManifests(table, metadata) : undefined
  if (latest && metadata && manifests) await checkRows(table, { latest, metadata, manifests })
  return manifests?.flatMap(({ files }) => files).length ?? 0
}

/** A difference is no failure of a task here. */
const damagedBy =
  (examine: Examine): Examine =>
  (key, check) =>
    examine(key, async (bytes) => {
      try {
        return await check(bytes)
      } catch (error) {
        throw isMismatch(error) ? new Damaged(error.message) : error
      }
    })

/** `latest.json` has the table of the published snapshot, unless that failed or is being made. */
async function checkLatest(table: PublishedTable): Promise<TableLatest | undefined> {
  const { entity, published: snapshot, tables, now, examine } = table
  const key = tableLatestKey(entity)
  const stored = await Array.fromAsync(tables.listObjects(entity))
  const hasFiles = stored.some((object) => object.key.endsWith('.metadata.json'))
  return examine(key, async (bytes) => {
    const value = bytes && (parseObject(bytes.toString(), key, ['runId', 'metadata', 'rows']) as TableLatest)
    const readLatest = async () => value && { value, etag: '' }
    const { state } = await readTable({ ...tables, readLatest }, entity, { snapshot, now })
    const isUnexplained = state.kind === 'behind' && state.reason === null
    const found = value ? `has the table of ${value.runId}` : 'does not exist'
    if (isUnexplained || (!value && hasFiles))
      throw mismatch(`${key} ${found}; ${snapshot.runId} is published.`)
    return value
  })
}

/** The object must exist. */
function existing(key: string, bytes: Buffer | undefined): Buffer {
  if (!bytes) throw mismatch(`${key} does not exist.`)
  return bytes
}

const checkMetadata = (
  { examine, snapshotOf, tables }: PublishedTable,
  { metadata: key, runId, rows }: TableLatest,
): Promise<TableMetadata | undefined> =>
  examine(key, (bytes) => {
    const text = existing(key, bytes).toString()
    const metadata = parseObject(text, key, ['snapshots', 'refs', 'schemas']) as TableMetadata
    const current = currentSnapshot(metadata)
    if (metadata['current-snapshot-id'] === undefined) return metadata
    const { summary = {} } = current ?? {}
    const { manifest } = snapshotOf(runId) ?? {}
    const address = manifest && tables.addressOf(manifestKey(manifest.entity, runId))
    compareFacts(key, [
      ['the run', current && runIn(current), runId],
      ['the branch main', metadata.refs.main?.['snapshot-id'], metadata['current-snapshot-id']],
      ['the last sequence number', metadata['last-sequence-number'], current?.['sequence-number']],
      ['rows', summary['total-records'], String(rows)],
      ['unique ids', rows, manifest?.uniqueIds ?? rows],
      ['the proof', summary['longshore.proof'], manifest?.proof ?? summary['longshore.proof']],
      ['the manifest', summary['longshore.manifest'], address ?? summary['longshore.manifest']],
    ])
    return metadata
  })

/** The data files; undefined if what leads to them is damaged. */
async function checkManifests(
  { examine, tables }: PublishedTable,
  metadata: TableMetadata,
): Promise<ListedManifest[] | undefined> {
  const avro = <T>(address: string, read: (file: Buffer) => T, bytes?: number) => {
    const key = tables.keyOf(address)
    return examine(key, (found) => {
      const file = existing(key, found)
      if (!isIntactAvro(file)) throw mismatch(`${key} is not as it was written.`)
      compareFacts(key, [['bytes', file.length, bytes ?? file.length]])
      return read(file)
    })
  }
  const listed = await avro(currentSnapshot(metadata)?.['manifest-list'] ?? '', listedManifests)
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

interface Rows {
  readonly latest: TableLatest
  readonly metadata: TableMetadata
  readonly manifests: readonly ListedManifest[]
}

/** Each row is that of its document. A page that is damaged, or columns that were configured since, show nothing of it. */
async function checkRows(table: PublishedTable, { latest, metadata, manifests }: Rows): Promise<void> {
  const entries = manifests.flatMap(({ files }) => files.map(({ file }) => file))
  const { entity, examine, tables } = table
  const snapshot = table.snapshotOf(latest.runId)
  const columns = columnsOf(table, latest)
  if (!snapshot || !columns) return
  const { manifest, idSum } = snapshot
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
    const found = await examine(key, (bytes) => {
      const file = { bytes: existing(key, bytes), etag: '', entry }
      const counted = { rejected: {}, absent: columns.map(nullsIn(entry)), areIdsStrings: false }
      return checkFile({ ...own, ...counted, columns, file }, tables.readObject, 'all')
    })
    if (found) checked.push(found)
    from = to
  }
  if (checked.length < entries.length) return
  const schema = metadata.schemas.find((one) => one['schema-id'] === metadata['current-schema-id'])
  const objects = new Map(checked.map(({ address, bytes }) => [address ?? '', { bytes, etag: '' }]))
  const stored = { fields: schema?.fields ?? [], manifests, objects }
  const expected = { columns: table.columns, written: columns, checked, uniqueIds, idSum }
  await examine(tableLatestKey(entity), () => checkTable(stored, expected))
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
