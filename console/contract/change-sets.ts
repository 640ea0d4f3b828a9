import type { RecordKind } from '../../operator/changes/known-forms.ts'
import type { SetCounts } from '../../stored/changes/chain-facts.ts'
import type { SetManifest } from '../../stored/changes/changes.ts'

export type { RecordKind }

export type SetRow = Pick<SetManifest, 'runId' | 'base' | 'kind'> & SetCounts

/** A field that differs between two versions. Null where it does not exist. */
export interface FieldChange {
  readonly name: string
  readonly before: ValueText | null
  readonly after: ValueText | null
}

export interface RecordRow {
  readonly kind: RecordKind
  readonly id: ValueText | null
  readonly changes: readonly FieldChange[]
  /** Fields that are equal in both versions. */
  readonly unchanged: number
  /** API path of the same record with whole values. */
  readonly path: string
}

export interface RecordsResponse {
  readonly set: SetRow
  readonly counts:
    | (Readonly<Record<'unchanged' | 'rewritten' | 'withheld' | 'baseDocuments', number>> & {
        /** Null of an entity without increments. */
        readonly held: number | null
      })
    | null
  /** What readers keep although the snapshot does not have it: why, and the first of these documents. */
  readonly kept: { readonly texts: readonly string[]; readonly ids: readonly ValueText[] }
  /** What increments had not delivered of it; null of a set that follows none. */
  readonly audit: { readonly missed: number; readonly invisible: number } | null
  /** Null after an increment. */
  readonly stateDocuments: number | null
  readonly from: number
  readonly total: number
  readonly records: readonly RecordRow[]
}

/** What changed by field and value, in sentences. */
export interface SummaryResponse {
  readonly lines: readonly string[]
}

/** A value as JSON text, as the platform sent it. */
export interface ValueText {
  /** Only the beginning if it is cut. */
  readonly text: string
  /** Characters of the whole text. */
  readonly length: number
}

export interface DocumentRow {
  /** JSON text; null without an id. */
  readonly id: ValueText | null
  readonly bytes: number
  readonly fields: readonly { readonly name: string; readonly value: ValueText }[]
  /** API path of the same document with whole values. */
  readonly path: string
}
