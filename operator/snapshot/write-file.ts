import { createHash } from 'node:crypto'
import { readFields } from '../../stored/documents/fields.ts'
import { writeAtomically } from './atomic-file.ts'
import { type CsvFormat, csvHeader, csvRow } from './csv.ts'
import { splitLines } from './lines.ts'

/** Returns the SHA-256 (hex) of the file. */
export async function writeNdjson(file: string, pages: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  await writeAtomically(file, async (out) => {
    for await (const lines of pages) {
      hash.update(lines)
      await out.write(lines)
    }
  })
  return hash.digest('hex')
}

/** Reads the documents twice: the header needs the fields of all of them. */
export async function writeCsv(file: string, pages: AsyncIterable<Buffer>, format: CsvFormat): Promise<void> {
  await writeAtomically(file, async (out) => {
    const columns = new Set<string>()
    const documents = await out.temporaryFile()
    for await (const lines of pages) {
      for (const line of splitLines(lines)) for (const name of readFields(line).keys()) columns.add(name)
      await documents.write(lines)
    }
    const names = [...columns]
    await out.write(csvHeader(names, format))
    for await (const lines of documents.chunks()) {
      let rows = ''
      for (const line of splitLines(lines)) rows += csvRow(names, readFields(line), format)
      await out.write(rows)
    }
  })
}
