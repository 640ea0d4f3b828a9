import { splitLines } from '../snapshot/lines.ts'
import { type Condition, fulfils, mayFulfil } from './condition.ts'
import { parseRecord } from './record.ts'

/** Lines of an object: documents, or records of a change set with the documents before and after it. */
export interface ObjectLines {
  readonly holds: 'documents' | 'records'
  readonly lines: Buffer
}

/** The documents that fulfil a condition. Throws `CommandError` for a record of a kind that is not known. */
export function* documentsWith({ holds, lines }: ObjectLines, condition: Condition): Generator<Buffer> {
  if (!mayFulfil(lines, condition)) return
  for (const line of splitLines(lines)) {
    if (!mayFulfil(line, condition)) continue
    for (const document of holds === 'records' ? documentsOfRecord(line) : [line])
      if (fulfils(document, condition)) yield document
  }
}

/** The documents on both sides of a record. Throws `CommandError` for a record of a kind that is not known. */
export function documentsOfRecord(line: Buffer): Buffer[] {
  const { before, after } = parseRecord(line)
  return [before, after].flatMap((document) => (document === undefined ? [] : [Buffer.from(document)]))
}
