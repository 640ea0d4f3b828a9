import { StoredLines } from '../../../functions/documents/stored-lines.ts'
import { type Fields, readFields } from '../../../operator/snapshot/fields.ts'
import type { DocumentRow, FieldChange, RecordKind, RecordRow, ValueText } from '../../contract.ts'

/** How much of a value a response contains: its beginning, or all of it. */
export type Extent = 'beginning' | 'whole'

const maxCharacters = 500

export function valueText(text: string, extent: Extent): ValueText {
  return { text: extent === 'whole' ? text : text.slice(0, maxCharacters), length: text.length }
}

/** A line of a snapshot's page. */
export interface StoredDocument {
  readonly line: Buffer
  readonly idField: string
  readonly path: string
}

export function documentRow({ line, idField, path }: StoredDocument, extent: Extent): DocumentRow {
  const fields = [...readFields(line)].map(([name, text]) => ({ name, value: valueText(text, extent) }))
  return { id: idOf(line, idField, extent), bytes: line.length, fields, path }
}

function idOf(line: Buffer, idField: string, extent: Extent): ValueText | null {
  const lines = new StoredLines(line, Buffer.from(idField))
  lines.next()
  const id = lines.rawId()
  return id ? valueText(Buffer.from(id).toString(), extent) : null
}

const kinds: Readonly<Record<string, RecordKind>> = { '"c"': 'created', '"u"': 'updated', '"d"': 'deleted' }
const noFields: Fields = new Map()

/** A line of a change set's part. */
export function recordRow({ line, path }: { line: Buffer; path: string }, extent: Extent): RecordRow {
  const record = readFields(line)
  const [before, after] = [fieldsIn(record.get('before')), fieldsIn(record.get('after'))]
  const changes = fieldChanges(before ?? noFields, after ?? noFields, extent)
  const id = record.get('id') ?? 'null'
  return {
    kind: kinds[record.get('op') ?? ''] ?? 'updated',
    id: id === 'null' ? null : valueText(id, extent),
    changes,
    unchanged: before && after ? [...after.keys()].length - changes.filter((one) => one.after).length : 0,
    path,
  }
}

export function fieldsIn(document: string | undefined): Fields | undefined {
  return document === undefined ? undefined : readFields(Buffer.from(document))
}

/** The fields whose text differs, in the order of the newer version. */
export function fieldChanges(before: Fields, after: Fields, extent: Extent): FieldChange[] {
  const names = [...new Set([...after.keys(), ...before.keys()])]
  const textOf = (fields: Fields, name: string) => {
    const text = fields.get(name)
    return text === undefined ? null : valueText(text, extent)
  }
  return names
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => ({ name, before: textOf(before, name), after: textOf(after, name) }))
}
