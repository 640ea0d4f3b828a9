import type { StoredFile } from '../../../stored/iceberg/manifests.ts'
import type { ReportPart } from '../../../stored/schema-report/report-part.ts'
import type { CheckedFile } from '../check/check-file.ts'

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
