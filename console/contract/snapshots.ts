import type { Manifest } from '../../functions/state/snapshots/manifest.ts'
import type { RecordRow } from './change-sets.ts'
import type { DocumentRow } from './documents.ts'

export interface SnapshotSummary
  extends Pick<
    Manifest,
    'runId' | 'openedAt' | 'finishedAt' | 'documents' | 'uniqueIds' | 'reportedTotal' | 'proof' | 'attempts'
  > {
  /** The run whose snapshot this one repeats; null if it was scrolled. */
  readonly republishedFrom: string | null
  readonly pages: number
  readonly bytes: number
}

/** The kept snapshots of an entity, newest first. */
export interface SnapshotsResponse {
  /** The run that `latest.json` names. */
  readonly published: string | null
  readonly snapshots: readonly SnapshotSummary[]
}

/** Documents of one page of a snapshot. */
export interface DocumentsResponse {
  readonly snapshot: SnapshotSummary
  /** Counts from 1. */
  readonly page: number
  /** Index of the first document in the page. */
  readonly from: number
  readonly pageDocuments: number
  readonly documents: readonly DocumentRow[]
}

/** Two kept snapshots of an entity compared: what leads from the first to the second. */
export interface ComparisonResponse {
  readonly before: SnapshotSummary
  readonly after: SnapshotSummary
  readonly counts: Readonly<Record<'created' | 'updated' | 'deleted' | 'unchanged', number>>
  /** What changed by field and value, in sentences. */
  readonly summary: readonly string[]
  readonly from: number
  readonly total: number
  readonly records: readonly RecordRow[]
}
