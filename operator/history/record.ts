import { canonicalValue } from '../../stored/chain/canonical.ts'
import { type Fields, readFields } from '../../stored/documents/fields.ts'
import { type RecordKind, recordKindOf } from '../changes/known-forms.ts'

/** A record of a change set. Documents are the text that the platform sent. */
export interface HistoryRecord {
  readonly kind: RecordKind
  /** JSON text. */
  readonly id: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Throws `CommandError` for an operation that is not known. */
export function parseRecord(line: Buffer): HistoryRecord {
  const record = readFields(line)
  return {
    kind: recordKindOf(record.get('op')),
    id: record.get('id') ?? 'null',
    before: record.get('before'),
    after: record.get('after'),
  }
}

/** A field that differs between two versions of a document. JSON text; null where it does not exist. */
export interface ChangedField {
  readonly name: string
  readonly before: string | null
  readonly after: string | null
}

/** The fields that differ by the equality of change sets, in the order of the newer version. */
export function changedFields(
  before: string | undefined,
  after: string | undefined,
  ignored: ReadonlySet<string> = noneIgnored,
): ChangedField[] {
  const [old, current] = [fieldsOf(before), fieldsOf(after)]
  return [...new Set([...current.keys(), ...old.keys()])]
    .map((name) => ({ name, before: old.get(name) ?? null, after: current.get(name) ?? null }))
    .filter(({ name, before, after }) => !ignored.has(name) && !isSameValue(before, after))
}

function isSameValue(one: string | null, other: string | null): boolean {
  if (one === null || other === null || one === other) return one === other
  return canonicalValue(one) === canonicalValue(other)
}

export const fieldsOf = (document: string | undefined): Fields =>
  document === undefined ? noFields : readFields(Buffer.from(document))

const noFields: Fields = new Map()
const noneIgnored: ReadonlySet<string> = new Set()
