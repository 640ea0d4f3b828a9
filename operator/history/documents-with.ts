import { splitLines } from '../snapshot/lines.ts'
import { type FieldCondition, fulfils, mayFulfil } from './condition.ts'
import { parseRecord } from './record.ts'

/** Lines of an object: documents, or records of a change set with the documents before and after it. */
export interface ObjectLines {
  readonly holds: 'documents' | 'records'
  readonly lines: Buffer
}

/** The documents that fulfil a condition. Throws `CommandError` for a record of a kind that is not known. */
export function* documentsWith(stored: ObjectLines, condition: FieldCondition): Generator<Buffer> {
  if (!mayFulfil(stored.lines, condition)) return
  for (const document of documentsIn(stored))
    if (mayFulfil(document, condition) && fulfils(document, condition)) yield document
}

/** Every document, and both sides of every record. Throws `CommandError` for a record of a kind that is not known. */
export function* documentsIn({ holds, lines }: ObjectLines): Generator<Buffer> {
  for (const line of splitLines(lines)) {
    if (holds === 'documents') yield line
    else yield* documentsOfRecord(line)
  }
}

function documentsOfRecord(line: Buffer): Buffer[] {
  const { before, after } = parseRecord(line)
  return [before, after].flatMap((document) => (document === undefined ? [] : [Buffer.from(document)]))
}
