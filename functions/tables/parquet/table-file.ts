import { ParquetWriter } from 'hyparquet-writer'
import type { ReportPart } from '../schema-report/report-part.ts'
import { SchemaReportBuilder } from '../schema-report/schema-report-builder.ts'
import { FileBytes } from './file-bytes.ts'
import { type FileColumn, fileSchema } from './file-column.ts'
import { type RowGroup, TableRows } from './table-rows.ts'

const maxRowsOfGroup = 100_000
/** Documents can be large: fewer rows make a group then, since it is in memory as a whole. */
const maxBytesOfGroup = 64 * 1024 * 1024

/** A Parquet file that is being written, with the schema report of its documents. */
export interface TableFile {
  /** Adds the document from `start` to `end` as a row. Throws `MalformedPage` if it is not one. */
  add(text: Buffer, start?: number, end?: number): void
  /** Nothing can be added after this. */
  finish(): FinishedFile
}

export interface FinishedFile {
  readonly body: Uint8Array
  readonly rows: number
  readonly groups: readonly RowGroup[]
  /** How many values did not fit a column, for each column that has such values. */
  readonly rejected: Readonly<Record<string, number>>
  readonly report: ReportPart
}

export function createTableFile(columns: readonly FileColumn[]): TableFile {
  const report = new SchemaReportBuilder(columns.map(({ from }) => from))
  const rows = new TableRows(columns)
  const bytes = new FileBytes()
  const writer = new ParquetWriter({ writer: bytes, schema: fileSchema(columns), createdBy: 'longshore' })
  let written = 0
  const writeGroup = () => {
    if (rows.count === 0) return
    written += rows.count
    // Its own `write` takes values as objects, which costs more than all the rest (docs/adr/0018-parquet-pages.md).
    writer.row_groups.push(rows.writeTo(bytes))
  }
  return {
    add(text, start = 0, end = text.length) {
      report.add(text, start, end)
      rows.add(text, report.found)
      if (rows.count === maxRowsOfGroup || rows.size >= maxBytesOfGroup) writeGroup()
    },
    finish() {
      writeGroup()
      writer.num_rows = BigInt(written)
      // A writer to memory returns no promise.
      void writer.finish()
      return {
        body: bytes.takeBytes(),
        rows: written,
        groups: writer.row_groups,
        rejected: rows.rejected(),
        report: report.finish(),
      }
    },
  }
}
