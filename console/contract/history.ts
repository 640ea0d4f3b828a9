import type { FieldChange, RecordKind } from './change-sets.ts'
import type { DocumentRow } from './documents.ts'

/** One version of a document: in a kept snapshot, or by a record of a change set. */
export interface VersionRow {
  readonly runId: string
  readonly source: 'snapshot' | 'change-set' | 'increment'
  /**
   * `present`: in the oldest kept snapshot, so that nothing is known of what was before. `withheld`: missing from the
   * snapshot, and not yet reported as deleted. `held`: the snapshot has an older version than an increment delivered.
   */
  readonly kind: RecordKind | 'unchanged' | 'absent' | 'present' | 'withheld' | 'held'
  readonly changes: readonly FieldChange[]
}

/** Newest first. */
export interface HistoryResponse {
  readonly id: string
  /** In the newest kept snapshot; null if it is not there. */
  readonly document: DocumentRow | null
  readonly versions: readonly VersionRow[]
}
