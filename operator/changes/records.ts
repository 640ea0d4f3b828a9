import { idHashOf } from '../../stored/chain/delivered-versions.ts'
import { identify } from '../../stored/chain/record.ts'
import { readFields } from '../../stored/documents/fields.ts'
import { splitLines } from '../snapshot/lines.ts'
import { recordKindOf } from './known-forms.ts'
import type { PendingChanges } from './pending-changes.ts'

/** Adds the changes of record lines. A later record of a document replaces an earlier one. Throws `CommandError`. */
export function addRecords(pending: PendingChanges, lines: Buffer, idField: Buffer): void {
  for (const line of splitLines(lines)) {
    const { op, before, after } = Object.fromEntries(readFields(line))
    const kind = recordKindOf(op)
    const isDeleted = kind === 'deleted'
    const document = Buffer.from((isDeleted ? before : after) ?? '')
    const identity = identityOf(document, idField)
    if (isDeleted) pending.delete(identity)
    // Only what readers have is updated.
    else pending.upsert(identity, document, kind === 'updated' ? 'withheld' : kind)
  }
}

/** Adds documents that belong to the state although the snapshot lacks them. */
export function addDocuments(pending: PendingChanges, lines: Buffer, idField: Buffer): void {
  for (const document of splitLines(lines))
    pending.upsert(identityOf(document, idField), document, 'withheld')
}

const identityOf = (document: Buffer, idField: Buffer) => idHashOf(identify(document, idField).identity)
