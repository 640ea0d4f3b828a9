import type { Identity } from '../documents/identity.ts'
import { backslash, comma, lineFeed, quote } from '../documents/json-bytes.ts'
import { PageLines } from '../documents/stored-lines.ts'

/** A document and its id. */
export interface IdentifiedDocument {
  readonly document: Uint8Array
  /** The JSON of its id as sent, or `null`. */
  readonly id: Uint8Array
  readonly identity: Identity
}

const noId = Buffer.from('null')

export function identify(document: Uint8Array, idField: Buffer): IdentifiedDocument {
  const lines = new PageLines(document, idField)
  lines.next()
  return { document, id: lines.rawId() ?? noId, identity: lines.identity() }
}

const created = Buffer.from('{"op":"c","id":')
const updated = Buffer.from('{"op":"u","id":')
const deleted = Buffer.from('{"op":"d","id":')
const delivered = Buffer.from('{"op":"r","id":')
const before = Buffer.from(',"before":')
const after = Buffer.from(',"after":')
const end = Buffer.from('}')

/** The pieces of a record's line. Documents keep their bytes. */
export const createdRecord = ({ id, document }: IdentifiedDocument) => [created, id, after, document, end]

export const deletedRecord = ({ id, document }: IdentifiedDocument) => [deleted, id, before, document, end]

export const updatedRecord = (base: Uint8Array, { id, document }: IdentifiedDocument) => [
  updated,
  id,
  before,
  base,
  after,
  document,
  end,
]

/** Of an increment: a row that was read, as Debezium calls it. */
export const deliveredRecord = ({ id, document }: IdentifiedDocument) => [delivered, id, after, document, end]

/**
 * Replaces the records of increments, one per line, by their documents. Overwrites the lines, and returns the part of
 * them that has the documents.
 */
export function documentsOfRecords(lines: Buffer): Buffer {
  let written = 0
  for (let start = 0; start < lines.length; ) {
    const found = lines.indexOf(lineFeed, start)
    const lineEnd = found < 0 ? lines.length : found
    const documentStart = endOfId(lines, start) + after.length
    written += lines.copy(lines, written, documentStart, lineEnd - end.length)
    lines[written++] = lineFeed
    start = lineEnd + 1
  }
  return lines.subarray(0, written)
}

/** Where the id of the record that begins here ends. */
function endOfId(lines: Buffer, start: number): number {
  const isDelivered = lines.compare(delivered, 0, delivered.length, start, start + delivered.length) === 0
  if (!isDelivered) throw new Error('A record of an increment has an unknown form.')
  let at = start + delivered.length
  if (lines[at] !== quote) return lines.indexOf(comma, at)
  for (at++; lines[at] !== quote; at++) if (lines[at] === backslash) at++
  return at + 1
}
