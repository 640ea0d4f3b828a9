import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TableFile } from '../../functions/tables/parquet/table-file.ts'
import { type DescribedObject, readPages } from '../../stored/chain/read-pages.ts'
import { lineFeed } from '../../stored/documents/json-bytes.ts'
import type { FileColumn } from '../../stored/iceberg/table-schema.ts'
import { report } from '../report.ts'

/** Writes the pages of a manifest to one Parquet file, with their schema report, as one chunk of a table. */
const [folder = '', manifest = '', output = '', columns = '[]'] = process.argv.slice(2)
const startedAt = performance.now()
const { pages } = JSON.parse(readFileSync(join(folder, manifest), 'utf8')) as { pages: DescribedObject[] }
const file = new TableFile(JSON.parse(columns) as FileColumn[])
const source = {
  // Not from the pool that small buffers share.
  readObject: async (key: string) => new Uint8Array(readFileSync(join(folder, key))),
  checkTime: () => {},
  damaged: (message: string) => new Error(message),
}
for await (const { text } of readPages(source, pages, [...pages.keys()])) {
  for (let start = 0; start < text.length; ) {
    const lineEnd = text.indexOf(lineFeed, start)
    const end = lineEnd < 0 ? text.length : lineEnd
    file.add(text.subarray(start, end))
    start = end + 1
  }
}
const { body, rows, rejected } = file.finish()
writeFileSync(output, body)
report(startedAt, { rows, rejected, megabytes: body.length / 1e6 })
