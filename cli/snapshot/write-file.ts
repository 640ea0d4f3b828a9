import { writeAtomically } from './atomic-file.ts'
import { csvHeader, csvRow, readFields } from './csv.ts'

export async function writeNdjson(file: string, pages: AsyncIterable<Buffer>): Promise<void> {
  await writeAtomically(file, async (out) => {
    for await (const lines of pages) await out.write(lines)
  })
}

/** Reads the documents twice: the header needs the fields of all of them. */
export async function writeCsv(file: string, pages: AsyncIterable<Buffer>): Promise<void> {
  await writeAtomically(file, async (out) => {
    const columns = new Set<string>()
    const documents = await out.temporaryFile()
    for await (const lines of pages) {
      for (const line of splitLines(lines))
        for (const name of Object.keys(readFields(line))) columns.add(name)
      await documents.write(lines)
    }
    const names = [...columns]
    await out.write(csvHeader(names))
    for await (const lines of documents.chunks()) {
      const rows = splitLines(lines).map((line) => csvRow(names, readFields(line)))
      await out.write(rows.join(''))
    }
  })
}

/** At line feeds only: a string may contain U+2028, which some readers treat as the end of a line. */
function splitLines(lines: Buffer): string[] {
  return lines.length === 0 ? [] : lines.toString().slice(0, -1).split('\n')
}
