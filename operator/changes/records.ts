import { hash } from 'node:crypto'
import type { Identity } from '../../functions/documents/identity.ts'
import { StoredLines } from '../../functions/documents/stored-lines.ts'
import { readFields } from '../snapshot/fields.ts'
import { splitLines } from '../snapshot/lines.ts'
import { effectOf } from './known-forms.ts'
import type { PendingChanges } from './pending-changes.ts'

/** Characters of a digest in Latin-1 that are an id hash (128 bits). */
const idHashBytes = 16

/** The id hash of a document's identity, as a string of bytes. */
export function hashIdentity(identity: Identity): string {
  return hash('sha256', identity, 'binary').slice(0, idHashBytes)
}

/** Adds the changes of record lines. A later record of a document replaces an earlier one. Throws `CommandError`. */
export function addRecords(pending: PendingChanges, lines: Buffer, idField: Buffer): void {
  for (const line of splitLines(lines)) {
    const { op, before, after } = Object.fromEntries(readFields(line))
    const effect = effectOf(op)
    const document = Buffer.from((effect === 'delete' ? before : after) ?? '')
    const identity = identityOf(document, idField)
    if (effect === 'delete') pending.delete(identity)
    else pending.upsert(identity, document)
  }
}

/** Adds documents that belong to the state although the snapshot lacks them. */
export function addDocuments(pending: PendingChanges, lines: Buffer, idField: Buffer): void {
  for (const document of splitLines(lines)) pending.upsert(identityOf(document, idField), document)
}

function identityOf(document: Buffer, idField: Buffer): string {
  const lines = new StoredLines(document, idField)
  lines.next()
  return hashIdentity(lines.identity())
}
