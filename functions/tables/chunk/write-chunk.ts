import { type Page, readPages } from '../../../stored/chain/read-pages.ts'
import { lineFeed } from '../../../stored/documents/json-bytes.ts'
import { liveFiles, manifestFile, type StoredFile } from '../../../stored/iceberg/manifests.ts'
import { areStrings, type ReportPart } from '../../../stored/schema-report/report-part.ts'
import { dataFileKey, manifestFileKey } from '../../../stored/tables/table.ts'
import { TaskFailed } from '../../task/run.ts'
import { type CheckedFile, checkFile } from '../check/check-file.ts'
import { mismatch } from '../check/mismatch.ts'
import type { TableContext } from '../context.ts'
import { columnMetrics } from '../parquet/column-metrics.ts'
import { type FinishedFile, TableFile } from '../parquet/table-file.ts'
import { type ChunkPlan, chunkKey, chunkResultKey, type PlanName, type TableFormat } from '../plan/plan.ts'

/**
 * Writes the rows of one chunk: a data file and its manifest, and the chunk's part of the schema report, and reads the
 * files back. It can be repeated and can run twice at the same time, since every invocation writes under names of its
 * own. Returns the name that leads the commit to them.
 */
export async function writeChunk(context: TableContext, plan: PlanName, chunk: number): Promise<string> {
  const { tables, uniqueName } = context
  const stored = await tables.readJson<ChunkPlan>(chunkKey(plan, chunk))
  if (!stored)
    throw new TaskFailed('The stored plan of the table is missing. The next publication plans it again.')
  const name = `${chunk}-${uniqueName()}`
  const written = await writeRows(context, stored, `${plan.plan}-${name}`)
  const checked = await readBack(context, stored, written)
  const result: ChunkResult = { chunk, ...written, ...(checked && { checked }) }
  await tables.writeJson(chunkResultKey(plan, name), result)
  return name
}

async function writeRows(
  context: TableContext,
  chunk: ChunkPlan,
  unique: string,
): Promise<Omit<ChunkResult, 'chunk' | 'checked'>> {
  const { entity, runId, plan, format } = chunk
  const { body, groups, ...rest } = await convert(context, chunk)
  const file =
    format && rest.rows > 0
      ? await storeFile(context, { entity, runId, plan, unique, format, body, groups, rows: rest.rows })
      : null
  return { ...rest, file }
}

/** Checks the files as they are stored. Nothing to check: only a schema report, or a plan of an earlier version. */
async function readBack(
  { tables, checkTime }: TableContext,
  { format, check, pages }: ChunkPlan,
  { file: written, rejected, absent = [], report }: Omit<ChunkResult, 'chunk'>,
): Promise<CheckedFile | undefined> {
  if (!format || !check) return undefined
  const manifest = written ? await tables.readObject(tables.keyOf(written.manifest.address)) : undefined
  const entry = manifest && liveFiles(manifest, 0)[0]?.file
  const stored = entry && (await tables.readStored(tables.keyOf(entry.file_path)))
  if (written && !stored) throw mismatch(`${entry?.file_path ?? written.manifest.address} is missing.`)
  const file = entry && stored && { bytes: stored.value, etag: stored.etag, entry }
  const areIdsStrings = areStrings(report, check.idField)
  const counted = { rejected, absent, areIdsStrings }
  return checkFile({ ...check, ...counted, pages, columns: format.columns, file }, (key) => {
    checkTime()
    return tables.readObject(key)
  })
}

async function convert(
  { tables, checkTime }: TableContext,
  { format, pages, superseded }: ChunkPlan,
): Promise<FinishedFile> {
  const skipped = new Map(superseded.map(([page, lines]) => [page, new Set(lines)]))
  const file = new TableFile(format?.columns ?? [])
  const damaged = (message: string) => new TaskFailed(message)
  const source = { readObject: tables.readObject, checkTime, damaged }
  for await (const page of readPages(source, pages, [...pages.keys()]))
    addRows(file, page, skipped.get(page.index))
  return file.finish()
}

/** Adds the lines of a page, one document each, except those that a later one supersedes. */
function addRows(file: TableFile, { text }: Page, skipped: ReadonlySet<number> | undefined): void {
  let start = 0
  for (let line = 0; start < text.length; line++) {
    const next = text.indexOf(lineFeed, start)
    const end = next < 0 ? text.length : next
    if (!skipped?.has(line)) file.add(text.subarray(start, end))
    start = end + 1
  }
}

async function storeFile(
  { tables }: TableContext,
  chunk: PlanName &
    Pick<FinishedFile, 'body' | 'groups' | 'rows'> & {
      readonly unique: string
      readonly format: TableFormat
    },
): Promise<ChunkFile> {
  const { entity, runId, unique, body, groups, rows } = chunk
  const { schema, snapshotId, columns } = chunk.format
  const data = dataFileKey(entity, runId, unique)
  await tables.writeFile(data, body)
  const file = { address: tables.addressOf(data), bytes: body.length }
  const metrics = columnMetrics(columns, groups)
  const manifest = manifestFile(schema, { snapshotId, file, rows, metrics })
  const key = manifestFileKey(entity, runId, unique)
  await tables.writeFile(key, manifest)
  return { bytes: body.length, manifest: { address: tables.addressOf(key), bytes: manifest.length } }
}

/** The stored files of a chunk. */
export interface ChunkFile {
  /** Of the data file. */
  readonly bytes: number
  readonly manifest: StoredFile
}

/** What an invocation stores for the commit once the files of its chunk are stored. */
export interface ChunkResult {
  readonly chunk: number
  readonly rows: number
  readonly rejected: Readonly<Record<string, number>>
  /** For each column, the documents that have no value. */
  readonly absent?: readonly number[]
  /** Null without rows or without columns. */
  readonly file: ChunkFile | null
  readonly report: ReportPart
  /** Of a table: what its file was found to have when it was read back. Earlier versions did not read it. */
  readonly checked?: CheckedFile
}
