import type { Identity } from '../../documents/identity.ts'
import { StoredLines } from '../../documents/stored-lines.ts'

/** A document and its id. */
export interface IdentifiedDocument {
  readonly document: Uint8Array
  /** The JSON of its id as sent, or `null`. */
  readonly id: Uint8Array
  readonly identity: Identity
}

const noId = Buffer.from('null')

export function identify(document: Uint8Array, idField: Buffer): IdentifiedDocument {
  const lines = new StoredLines(document, idField)
  lines.next()
  return { document, id: lines.rawId() ?? noId, identity: lines.identity() }
}

const created = Buffer.from('{"op":"c","id":')
const updated = Buffer.from('{"op":"u","id":')
const deleted = Buffer.from('{"op":"d","id":')
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
