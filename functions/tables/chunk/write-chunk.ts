import { type Page, readPages } from '../../chain/read-pages.ts'
import { lineFeed } from '../../documents/json-bytes.ts'
import { dataFileKey, manifestFileKey } from '../../state/tables/table.ts'
import { TaskFailed } from '../../task/run.ts'
import type { TableContext } from '../context.ts'
import { columnMetrics } from '../iceberg/column-metrics.ts'
import { manifestFile } from '../iceberg/manifests.ts'
import { createTableFile, type FinishedFile, type TableFile } from '../parquet/table-file.ts'
import { chunkKey, chunkResultKey, type PlanName, type StoredChunk, type TableFormat } from '../plan/plan.ts'
import { SchemaReportBuilder } from '../schema-report/schema-report-builder.ts'
import type { ChunkFile, ChunkResult } from './chunk-result.ts'

/**
 * Writes the rows of one chunk: a data file and its manifest, and the chunk's part of the schema report. It can be repeated
 * and can run twice at the same time, since every invocation writes under names of its own. Returns the name that leads
 * the commit to them.
 */
export async function writeChunk(context: TableContext, plan: PlanName, chunk: number): Promise<string> {
  const { tables, uniqueName } = context
  const stored = await tables.readJson<StoredChunk>(chunkKey(plan, chunk))
  if (!stored)
    throw new TaskFailed('The stored plan of the table is missing. The next publication plans it again.')
  const { format } = stored
  const { body, groups, ...rest } = await convert(context, stored)
  const name = `${chunk}-${uniqueName()}`
  const unique = `${plan.plan}-${name}`
  const file =
    format && rest.rows > 0
      ? await storeFile(context, { ...plan, unique, format, body, groups, rows: rest.rows })
      : null
  const result: ChunkResult = { chunk, ...rest, file }
  await tables.writeJson(chunkResultKey(plan, name), result)
  return name
}

async function convert(
  { tables, checkTime }: TableContext,
  { format, pages, superseded }: StoredChunk,
): Promise<FinishedFile> {
  const skipped = new Map(superseded.map(([page, lines]) => [page, new Set(lines)]))
  const file = format ? createTableFile(format.columns) : reportOnly()
  const damaged = (message: string) => new TaskFailed(message)
  const source = { readObject: tables.readObject, checkTime, damaged }
  for await (const page of readPages(source, pages, [...pages.keys()]))
    addRows(file, page, skipped.get(page.index))
  return file.finish()
}

/** Adds the lines of a page, one document each, except those that a later one supersedes. */
function addRows(
  file: Pick<TableFile, 'add'>,
  { text }: Page,
  skipped: ReadonlySet<number> | undefined,
): void {
  let start = 0
  for (let line = 0; start < text.length; line++) {
    const next = text.indexOf(lineFeed, start)
    const end = next < 0 ? text.length : next
    if (!skipped?.has(line)) file.add(text, start, end)
    start = end + 1
  }
}

/** Of an entity that has no table. */
function reportOnly(): TableFile {
  const report = new SchemaReportBuilder()
  let rows = 0
  return {
    add(text, start, end) {
      report.add(text, start, end)
      rows++
    },
    finish: () => ({ body: new Uint8Array(), rows, groups: [], rejected: {}, report: report.finish() }),
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
