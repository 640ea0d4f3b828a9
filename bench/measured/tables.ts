import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { lineFeed } from '../../functions/documents/json-bytes.ts'
import type { FileColumn } from '../../functions/tables/parquet/file-column.ts'
import { createTableFile } from '../../functions/tables/parquet/table-file.ts'
import { report } from './report.ts'

/** Writes the pages of a folder to one Parquet file, with their schema report, as one chunk of a table. */
const [folder = '', output = '', columns = '[]'] = process.argv.slice(2)
const startedAt = performance.now()
const file = createTableFile(JSON.parse(columns) as FileColumn[])
for (const name of readdirSync(folder).sort()) {
  if (!name.endsWith('.ndjson.gz')) continue
  const page = gunzipSync(readFileSync(join(folder, name)))
  for (let start = 0; start < page.length; ) {
    const lineEnd = page.indexOf(lineFeed, start)
    const end = lineEnd < 0 ? page.length : lineEnd
    file.add(page, start, end)
    start = end + 1
  }
}
const { body, rows, rejected } = file.finish()
writeFileSync(output, body)
report(startedAt, { rows, rejected })
