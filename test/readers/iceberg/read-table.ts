import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { copyBucket } from '../../copy-of-bucket.ts'
import { pythonTools } from '../../python-tools.ts'
import type { TableTestbed } from '../../unit/tables/table-testbed.ts'

/** Undefined without a usable Python 3. */
export const programs = await pythonTools('iceberg', new URL('requirements.txt', import.meta.url))
const program = fileURLToPath(new URL('read_table.py', import.meta.url))

export type Row = Readonly<Record<string, unknown>>
export type Field = readonly [id: number, name: string, type: string]

/** A table as PyIceberg reads it from its metadata, and its current rows as DuckDB reads them. */
interface ReadTable {
  readonly fields: readonly Field[]
  readonly rows: readonly Row[]
  readonly duckdb: readonly Row[]
  /** Values that occur in the rows and that DuckDB does not find as often when it filters by statistics. */
  readonly lost: readonly (readonly [column: string, value: unknown])[]
  /** What the metrics of the files say about a column that is not true. */
  readonly wrong: readonly (readonly unknown[])[]
  readonly snapshots: readonly {
    readonly run: string
    readonly fields: readonly Field[]
    readonly rows: readonly Row[]
  }[]
}

export async function readTable(testbed: TableTestbed): Promise<ReadTable> {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-iceberg-'))
  try {
    copyBucket(testbed.s3.objects, folder)
    const input = [program, folder, testbed.latest()?.metadata ?? '']
    const { stdout } = await promisify(execFile)(join(programs ?? '', 'python'), input, {
      maxBuffer: 2 ** 26,
    })
    return JSON.parse(stdout) as ReadTable
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
