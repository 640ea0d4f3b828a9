import type { DocumentVersion } from '../../operator/history/versions.ts'
import type { DocumentRow, FieldChange } from './change-sets.ts'

/** One version of a document: in a kept snapshot, or by a record of a change set. */
export interface VersionRow extends Pick<DocumentVersion, 'runId' | 'source' | 'kind'> {
  readonly changes: readonly FieldChange[]
}

/** Newest first. */
export interface HistoryResponse {
  readonly id: string
  /** In the newest kept snapshot; null if it is not there. */
  readonly document: DocumentRow | null
  readonly versions: readonly VersionRow[]
}
