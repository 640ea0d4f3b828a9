import { type ChangedField, changedFields, fieldsOf, parseRecord } from '../../../operator/history/record.ts'
import { readFields } from '../../../stored/documents/fields.ts'
import { PageLines } from '../../../stored/documents/stored-lines.ts'
import type { DocumentRow, FieldChange, RecordRow, ValueText } from '../../contract/change-sets.ts'

/** How much of a value a response contains: its beginning, or all of it. */
export type ValueExtent = 'beginning' | 'whole'

const maxCharacters = 500

function valueText(text: string, extent: ValueExtent): ValueText {
  return { text: extent === 'whole' ? text : text.slice(0, maxCharacters), length: text.length }
}

/** A line of a snapshot's page. */
export interface StoredDocument {
  readonly line: Buffer
  readonly idField: string
  readonly path: string
}

export function documentRow({ line, idField, path }: StoredDocument, extent: ValueExtent): DocumentRow {
  const fields = [...readFields(line)].map(([name, text]) => ({ name, value: valueText(text, extent) }))
  return { id: idText(line, idField, extent), bytes: line.length, fields, path }
}

/** Null without an id. */
export function idText(line: Buffer, idField: string, extent: ValueExtent): ValueText | null {
  const lines = new PageLines(line, Buffer.from(idField))
  lines.next()
  const id = lines.rawId()
  return id ? valueText(Buffer.from(id).toString(), extent) : null
}

/** A line of a change set's part: a document before and after. */
export function recordRow({ line, path }: { line: Buffer; path: string }, extent: ValueExtent): RecordRow {
  const { kind, id, before, after } = parseRecord(line)
  const changes = changedFields(before, after)
  const kept = changes.filter((one) => one.after !== null).length
  return {
    kind,
    id: id === 'null' ? null : valueText(id, extent),
    changes: changes.map((change) => fieldChange(change, extent)),
    unchanged: before && after ? fieldsOf(after).size - kept : 0,
    path,
  }
}

export function fieldChange({ name, before, after }: ChangedField, extent: ValueExtent): FieldChange {
  const shown = (text: string | null) => (text === null ? null : valueText(text, extent))
  return { name, before: shown(before), after: shown(after) }
}
